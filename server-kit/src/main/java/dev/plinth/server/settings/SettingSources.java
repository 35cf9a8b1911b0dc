package dev.plinth.server.settings;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeSet;

/**
 * The values given by flags, environment and file, in that order of precedence. Collects problems.
 */
final class SettingSources {
  /** A value as given, and where: "flag --port", "env PLINTH_PORT", "file plinth.properties". */
  record Given(String text, String origin) {}

  /** Names the properties file; a key like the others, but read before them. */
  static final SettingKey CONFIG =
      new SettingKey(
          "config", Path.class, "", "Properties file with settings, one key=value a line");

  private final Map<String, SettingKey> known = new HashMap<>();
  private final Map<String, Given> given = new HashMap<>();
  private final List<String> problems = new ArrayList<>();

  SettingSources(List<SettingKey> keys, List<String> args, Map<String, String> env) {
    known.put(CONFIG.key(), CONFIG);
    keys.forEach(key -> known.put(key.key(), key));
    readFlags(args);
    readEnvironment(env);
    find(CONFIG).ifPresent(config -> readFile(config.text()));
  }

  Optional<Given> find(SettingKey key) {
    return Optional.ofNullable(given.get(key.key()));
  }

  List<String> problems() {
    return problems;
  }

  private void readFlags(List<String> args) {
    for (int i = 0; i < args.size(); i++) {
      String arg = args.get(i);
      if (!arg.startsWith("--")) {
        problems.add("unexpected argument " + arg + " (expected: --key=value)");
        continue;
      }
      int equals = arg.indexOf('=');
      String name = equals < 0 ? arg.substring(2) : arg.substring(2, equals);
      SettingKey key = known.get(name);
      if (key == null) {
        problems.add("unknown flag --" + name + nearest(name, "--"));
        // The value of an unknown "--flag value" is no problem of its own.
        i += equals < 0 && hasValueAfter(args, i) ? 1 : 0;
      } else if (equals >= 0) {
        give(key, arg.substring(equals + 1), "flag --" + name);
      } else if (key.type() == boolean.class && !isTruth(args, i + 1)) {
        give(key, "true", "flag --" + name);
      } else if (hasValueAfter(args, i)) {
        give(key, args.get(++i), "flag --" + name);
      } else {
        problems.add(
            "flag --"
                + name
                + " needs a value (--"
                + name
                + "="
                + SettingCodec.form(key.type())
                + ")");
      }
    }
  }

  private static boolean hasValueAfter(List<String> args, int i) {
    return i + 1 < args.size() && !args.get(i + 1).startsWith("--");
  }

  private static boolean isTruth(List<String> args, int i) {
    return i < args.size() && (args.get(i).equals("true") || args.get(i).equals("false"));
  }

  private void readEnvironment(Map<String, String> env) {
    Map<String, SettingKey> variables = new HashMap<>();
    known.values().forEach(key -> variables.put(key.variable(), key));
    for (String name : new TreeSet<>(env.keySet())) {
      if (!name.startsWith("PLINTH_")) {
        continue;
      }
      SettingKey key = variables.get(name);
      if (key == null) {
        String near =
            SpellingSuggestion.of(name, variables.keySet())
                .map(v -> "; did you mean " + v + "?")
                .orElse("");
        problems.add("unknown environment variable " + name + near);
      } else {
        give(key, env.get(name), "env " + name);
      }
    }
  }

  private void readFile(String file) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(Path.of(file), StandardCharsets.UTF_8)) {
      properties.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      problems.add("config: cannot read " + file + " (" + e + ")");
      return;
    }
    for (String name : new TreeSet<>(properties.stringPropertyNames())) {
      SettingKey key = name.equals(CONFIG.key()) ? null : known.get(name);
      if (key == null) {
        problems.add("unknown key " + name + " in " + file + nearest(name, ""));
      } else {
        give(key, properties.getProperty(name).strip(), "file " + file);
      }
    }
  }

  private void give(SettingKey key, String text, String origin) {
    given.putIfAbsent(key.key(), new Given(text, origin));
  }

  private String nearest(String name, String before) {
    return SpellingSuggestion.of(name, known.keySet())
        .map(key -> "; did you mean " + before + key + "?")
        .orElse("");
  }
}
