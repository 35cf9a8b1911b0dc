package dev.plinth.ratelimit.envoy;

import com.google.protobuf.util.Durations;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.v1.Algorithm;
import dev.plinth.ratelimit.v1.Match;
import dev.plinth.ratelimit.v1.OnChange;
import dev.plinth.ratelimit.v1.PutPolicyRequest;
import dev.plinth.ratelimit.v1.Rule;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The descriptors of one domain as rules: one for each that has a limit, and one without a limit
 * for each that has neither a limit nor descriptors below it, which the reference exempts so.
 */
final class EnvoyDomain {
  static final int MAX_RULES = 1000;
  private static final int MAX_DEPTH = 16;
  private static final int MAX_KEY = 64;
  private static final int MAX_VALUE = 256;

  /** Microseconds would do for all; the reference's months and years have no calendar either. */
  private static final Map<String, Long> SECONDS =
      Map.of(
          "second", 1L,
          "minute", 60L,
          "hour", 3_600L,
          "day", 86_400L,
          "week", 7 * 86_400L,
          "month", 30 * 86_400L,
          "year", 365 * 86_400L);

  static final Set<String> OF_DESCRIPTORS =
      Set.of(
          "key",
          "value",
          "rate_limit",
          "descriptors",
          "shadow_mode",
          "quota_mode",
          "detailed_metric",
          "value_to_metric",
          "share_threshold",
          "metadata");
  static final Set<String> OF_LIMITS =
      Set.of("unit", "requests_per_unit", "unlimited", "name", "replaces");

  private final String name;
  private final YamlNode at;
  private final Consumer<String> notes;
  private final Set<String> roots = new HashSet<>();
  private final RuleNames names = new RuleNames();
  private final EnvoyReplacements replaces;
  private final List<Rule.Builder> rules = new ArrayList<>();

  EnvoyDomain(String name, YamlNode at, Consumer<String> notes) {
    this.name = name;
    this.at = at;
    this.notes = notes;
    this.replaces = new EnvoyReplacements(notes);
  }

  void add(YamlNode descriptors) {
    add(descriptors, List.of(), roots);
  }

  /** Its policy, once all is added. */
  PutPolicyRequest policy() {
    if (rules.isEmpty()) {
      throw at.refused("domain " + name + " has no descriptors (expected: at least one)");
    }
    replaces.fill();
    PutPolicyRequest.Builder put = PutPolicyRequest.newBuilder().setDomain(name);
    rules.forEach(put::addRules);
    return put.build();
  }

  private void add(YamlNode descriptors, List<Match> above, Set<String> siblings) {
    for (YamlNode item : descriptors.items()) {
      Map<String, YamlNode> fields = EnvoyConfig.known(item, OF_DESCRIPTORS, notes);
      List<Match> path = new ArrayList<>(above);
      path.add(match(item, fields));
      if (!siblings.add(composite(path.get(path.size() - 1)))) {
        throw item.refused("duplicate descriptor " + path(path));
      }
      if (path.size() > MAX_DEPTH) {
        throw item.refused(
            "nested " + path.size() + " deep (expected: at most " + MAX_DEPTH + " levels)");
      }
      YamlNode limit = fields.get("rate_limit");
      YamlNode below = fields.get("descriptors");
      boolean isLeaf = below == null || below.items().isEmpty();
      if (limit != null && !limit.isNull()) {
        limit(item, path, fields, limit);
      } else if (isLeaf) {
        keep(item, path).setAlgorithm(Algorithm.ALGORITHM_UNLIMITED).getEnvoyBuilder();
      }
      if (!isLeaf) {
        add(below, path, new HashSet<>());
      }
    }
  }

  private static Match match(YamlNode item, Map<String, YamlNode> fields) {
    String key = text(fields, "key");
    String value = text(fields, "value");
    if (key.isEmpty()) {
      throw item.refused("a descriptor without a key");
    }
    if (key.indexOf('*') >= 0 || key.length() > MAX_KEY) {
      throw fields
          .get("key")
          .refused("key " + key + " (expected: at most " + MAX_KEY + " characters, no *)");
    }
    if (value.length() > MAX_VALUE) {
      throw fields
          .get("value")
          .refused("a value of " + value.length() + " characters (expected: " + MAX_VALUE + ")");
    }
    boolean shared = truth(fields, "share_threshold");
    if (shared && value.indexOf('*') < 0) {
      throw fields
          .get("share_threshold")
          .refused("share_threshold of a value without * (expected: a wildcard)");
    }
    return Match.newBuilder()
        .setKey(key)
        .setValue(value)
        .setShared(shared)
        .setValueInMetrics(truth(fields, "value_to_metric"))
        .build();
  }

  private void limit(
      YamlNode item, List<Match> path, Map<String, YamlNode> fields, YamlNode limit) {
    Map<String, YamlNode> of = EnvoyConfig.known(limit, OF_LIMITS, notes);
    String unit = text(of, "unit").toLowerCase(Locale.ROOT);
    boolean unlimited = truth(of, "unlimited");
    if (unlimited && SECONDS.containsKey(unit)) {
      throw of.get("unit").refused("a unit of an unlimited descriptor (expected: one of them)");
    }
    if (!unlimited && !SECONDS.containsKey(unit)) {
      throw of.getOrDefault("unit", limit)
          .refused(
              "unit \"" + unit + "\" (expected: second, minute, hour, day, week, month, year)");
    }
    Rule.Builder rule = keep(item, detailed(path, truth(fields, "detailed_metric")));
    long requests =
        of.containsKey("requests_per_unit")
            ? of.get("requests_per_unit").number(Limit.MAX_IN_WINDOW)
            : 0;
    if (unlimited) {
      rule.setAlgorithm(Algorithm.ALGORITHM_UNLIMITED);
    } else {
      rule.setAlgorithm(Algorithm.ALGORITHM_FIXED_WINDOW)
          .setLimit(requests)
          .setPeriod(Durations.fromSeconds(SECONDS.get(unit)))
          .setShadow(truth(fields, "shadow_mode"))
          .setOnChange(OnChange.ON_CHANGE_ADDITIVE);
    }
    rule.getEnvoyBuilder()
        .setLimitName(text(of, "name"))
        .setQuotaMode(truth(fields, "quota_mode") && !unlimited);
    if (fields.containsKey("metadata") && !fields.get("metadata").isNull()) {
      rule.getEnvoyBuilder().setMetadata(fields.get("metadata").struct());
    }
    replaces.add(rule, text(of, "name"), of.get("replaces"));
  }

  private Rule.Builder keep(YamlNode item, List<Match> path) {
    if (rules.size() == MAX_RULES) {
      throw item.refused(
          "domain " + name + " has more than " + MAX_RULES + " limits (expected: at most)");
    }
    Rule.Builder rule = Rule.newBuilder().setName(names.of(path(path))).addAllMatch(path);
    rules.add(rule);
    return rule;
  }

  private static List<Match> detailed(List<Match> path, boolean detailed) {
    return detailed
        ? path.stream().map(match -> match.toBuilder().setValueInMetrics(true).build()).toList()
        : path;
  }

  private static String text(Map<String, YamlNode> fields, String name) {
    return fields.containsKey(name) ? fields.get(name).text() : "";
  }

  private static boolean truth(Map<String, YamlNode> fields, String name) {
    return fields.containsKey(name) && fields.get(name).truth();
  }

  /** The key by which the reference distinguishes descriptors of one level. */
  private static String composite(Match match) {
    return match.getValue().isEmpty() ? match.getKey() : match.getKey() + "_" + match.getValue();
  }

  private static String path(List<Match> path) {
    return String.join(".", path.stream().map(EnvoyDomain::composite).toList());
  }
}
