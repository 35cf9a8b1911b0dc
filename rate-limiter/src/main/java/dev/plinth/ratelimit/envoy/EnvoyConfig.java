package dev.plinth.ratelimit.envoy;

import dev.plinth.ratelimit.v1.PutPolicyRequest;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Files of the reference service's configuration, each with a domain and its descriptors. What it
 * refuses is refused here, and so is what a policy cannot say, with file and line.
 */
public final class EnvoyConfig {
  private static final Set<String> OF_FILES = Set.of("domain", "descriptors");

  /** Names that the reference accepts anywhere, and uses only in their own section. */
  private static final Set<String> KNOWN =
      Stream.of(OF_FILES, EnvoyDomain.OF_DESCRIPTORS, EnvoyDomain.OF_LIMITS)
          .flatMap(Set::stream)
          .collect(Collectors.toUnmodifiableSet());

  private final boolean merge;
  private final Map<String, EnvoyDomain> domains = new LinkedHashMap<>();
  private final List<String> notes = new ArrayList<>();

  /**
   * @param merge whether a domain may be in several files
   */
  public EnvoyConfig(boolean merge) {
    this.merge = merge;
  }

  /**
   * @throws EnvoyConfigException with the file's name and a line
   */
  public void add(String file, String text) {
    YamlNode root = YamlNode.read(file, text);
    Map<String, YamlNode> fields = known(root, OF_FILES, notes::add);
    YamlNode named = fields.getOrDefault("domain", root);
    String name = named == root ? "" : named.text();
    if (name.isEmpty()) {
      throw root.refused("a file without a domain");
    }
    if (domains.containsKey(name) && !merge) {
      throw named.refused("domain " + name + " is in another file, too (expected: in one)");
    }
    EnvoyDomain domain =
        domains.computeIfAbsent(name, key -> new EnvoyDomain(checked(named), named, notes::add));
    if (fields.containsKey("descriptors")) {
      domain.add(fields.get("descriptors"));
    }
  }

  private static String checked(YamlNode domain) {
    try {
      return FieldChecks.domain("domain", domain.text());
    } catch (Failure.Invalid e) {
      throw domain.refused(e.getMessage());
    }
  }

  /** One for each domain, in the order of the files. */
  public List<PutPolicyRequest> policies() {
    return domains.values().stream().map(EnvoyDomain::policy).toList();
  }

  /** What has no effect, there and here; each with file and line. */
  public List<String> notes() {
    return List.copyOf(notes);
  }

  /** The fields of a node; those that have no effect here are reported. */
  static Map<String, YamlNode> known(YamlNode node, Set<String> here, Consumer<String> notes) {
    Map<String, YamlNode> fields = node.fields();
    fields.forEach(
        (name, value) -> {
          if (!KNOWN.contains(name)) {
            throw value.refused("unknown field " + name);
          } else if (!here.contains(name)) {
            notes.accept(value.note(name + " has no effect here"));
          }
        });
    return fields;
  }
}
