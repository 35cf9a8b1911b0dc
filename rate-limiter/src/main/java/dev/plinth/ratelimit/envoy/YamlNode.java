package dev.plinth.ratelimit.envoy;

import com.google.protobuf.ListValue;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.Values;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/** A part of a YAML file, which knows its line. Scalars are taken as they are written. */
final class YamlNode {
  private static final int MAX_DEPTH = 50;

  private final String file;
  private final Node node;
  private final int line;

  private YamlNode(String file, Node node) {
    this(file, node, node.getStartMark() == null ? 1 : node.getStartMark().getLine() + 1);
  }

  private YamlNode(String file, Node node, int line) {
    this.file = file;
    this.node = node;
    this.line = line;
  }

  /** The one document of a file. */
  static YamlNode read(String file, String text) {
    try {
      LoaderOptions options = new LoaderOptions();
      options.setNestingDepthLimit(2 * MAX_DEPTH);
      Iterator<Node> documents = new Yaml(options).composeAll(new StringReader(text)).iterator();
      if (!documents.hasNext()) {
        throw new EnvoyConfigException(file, 1, "is empty (expected: a domain)");
      }
      YamlNode first = new YamlNode(file, documents.next());
      if (documents.hasNext()) {
        throw new YamlNode(file, documents.next())
            .refused("a second document (expected: one in a file)");
      }
      return first;
    } catch (MarkedYAMLException e) {
      Mark mark = e.getProblemMark();
      throw new EnvoyConfigException(
          file, mark == null ? 1 : mark.getLine() + 1, "no YAML: " + e.getProblem());
    } catch (YAMLException e) {
      throw new EnvoyConfigException(file, 1, "no YAML: " + e.getMessage());
    }
  }

  EnvoyConfigException refused(String why) {
    return new EnvoyConfigException(file, line, why);
  }

  /** For a line that warns. */
  String note(String text) {
    return file + ":" + line + ": " + text;
  }

  boolean isNull() {
    return node.getTag().equals(Tag.NULL);
  }

  /** By their names; those that {@code <<} takes over come behind. */
  Map<String, YamlNode> fields() {
    if (!(node instanceof MappingNode mapping)) {
      throw refused("expected: fields, such as key: value");
    }
    Map<String, YamlNode> fields = new LinkedHashMap<>();
    List<YamlNode> merged = new ArrayList<>();
    for (NodeTuple tuple : mapping.getValue()) {
      YamlNode name = new YamlNode(file, tuple.getKeyNode());
      // Its line is that of its name, which a reader looks for.
      YamlNode value = new YamlNode(file, tuple.getValueNode(), name.line);
      if (tuple.getKeyNode().getTag().equals(Tag.MERGE)) {
        merged.addAll(value.node instanceof SequenceNode ? value.items() : List.of(value));
      } else if (fields.put(name.text(), value) != null) {
        throw name.refused("\"" + name.text() + "\" is there twice");
      }
    }
    merged.forEach(other -> other.fields().forEach(fields::putIfAbsent));
    return fields;
  }

  /** Of a list; none if there is nothing. */
  List<YamlNode> items() {
    if (isNull()) {
      return List.of();
    }
    if (!(node instanceof SequenceNode list)) {
      throw refused("expected: a list");
    }
    return list.getValue().stream().map(each -> new YamlNode(file, each)).toList();
  }

  /** Empty if there is nothing. */
  String text() {
    if (!(node instanceof ScalarNode scalar)) {
      throw refused("expected: a text");
    }
    return isNull() ? "" : scalar.getValue();
  }

  long number(long max) {
    try {
      long number = Long.decode(text().replace("_", ""));
      if (number >= 0 && number <= max) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw refused(text() + " (expected: 0.." + max + ")");
  }

  boolean truth() {
    return switch (text().toLowerCase(Locale.ROOT)) {
      case "true", "yes", "on", "y" -> true;
      case "false", "no", "off", "n", "" -> false;
      default -> throw refused(text() + " (expected: true or false)");
    };
  }

  Struct struct() {
    Struct.Builder struct = Struct.newBuilder();
    fields().forEach((name, value) -> struct.putFields(name, value.json(MAX_DEPTH)));
    return struct.build();
  }

  private Value json(int depth) {
    if (depth == 0) {
      throw refused("nested too deep (expected: at most " + MAX_DEPTH + " levels)");
    }
    if (node instanceof MappingNode) {
      Struct.Builder struct = Struct.newBuilder();
      fields().forEach((name, value) -> struct.putFields(name, value.json(depth - 1)));
      return Values.of(struct.build());
    } else if (node instanceof SequenceNode) {
      ListValue.Builder list = ListValue.newBuilder();
      items().forEach(item -> list.addValues(item.json(depth - 1)));
      return Value.newBuilder().setListValue(list).build();
    } else if (isNull()) {
      return Value.newBuilder().setNullValue(NullValue.NULL_VALUE).build();
    } else if (node.getTag().equals(Tag.BOOL)) {
      return Values.of(truth());
    }
    Optional<Double> number = number();
    return number.isPresent() ? Values.of(number.get().doubleValue()) : Values.of(text());
  }

  private Optional<Double> number() {
    if (!node.getTag().equals(Tag.INT) && !node.getTag().equals(Tag.FLOAT)) {
      return Optional.empty();
    }
    try {
      return Optional.of(Double.valueOf(text()));
    } catch (NumberFormatException e) {
      return Optional.empty(); // such as 0x10 or 1:30, which JSON does not have
    }
  }
}
