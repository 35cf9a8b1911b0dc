package dev.plinth.ratelimit.policy;

import dev.plinth.ratelimit.policy.Rule.FailMode;
import dev.plinth.ratelimit.policy.Rule.LeaseRule;
import dev.plinth.ratelimit.policy.Rule.Match;
import dev.plinth.ratelimit.policy.Rule.Rate;
import dev.plinth.shards.store.Row;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A domain's policy as text that an operator can read: the format's version, the policy's, and when
 * it changed in milliseconds; then the lines of each rule. Periods are in microseconds, {@code -}
 * stands for nothing, and a policy that was deleted has no lines but the first.
 *
 * <pre>
 * limit/shop:  v1 3 1767225600000
 *              rule per-tenant 2 enforced 1000 LOCAL 0 AS_IS
 *              limit bucket 100 10000 1
 *              rate 100 1000000
 *              match tenant -
 *              lease 100 500 8 1000
 *              replaces everybody
 *              envoy each - -
 * </pre>
 */
final class PolicyRows {
  static final String PREFIX = "limit/";
  private static final String VERSION = "v1";
  private static final String NONE = "-";

  private PolicyRows() {}

  /** What a row holds; without a policy if that was deleted. */
  record Stored(long version, Optional<Policy> policy) {}

  static byte[] encode(long version, Optional<Policy> policy) {
    List<String> lines = new ArrayList<>();
    String changed = policy.map(p -> String.valueOf(p.changedAt().toEpochMilli())).orElse(NONE);
    lines.add(VERSION + " " + version + " " + changed);
    policy.ifPresent(p -> p.rules().forEach(rule -> encode(rule, lines)));
    return String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
  }

  private static void encode(Rule rule, List<String> lines) {
    lines.add(
        words(
            "rule",
            rule.name(),
            rule.version(),
            rule.shadow() ? "shadow" : "enforced",
            rule.enforcePermille(),
            rule.failMode(),
            rule.safeLimit(),
            rule.onChange()));
    lines.add("limit " + PolicyLimitText.of(rule.limit()));
    rule.rate().ifPresent(rate -> lines.add(words("rate", rate.limit(), micros(rate.period()))));
    rule.match().forEach(match -> lines.add(encode(match)));
    rule.lease()
        .ifPresent(
            lease ->
                lines.add(
                    words(
                        "lease",
                        lease.maxFractionPermille(),
                        lease.ttl().toMillis(),
                        lease.holdersHint(),
                        lease.serverAbovePerSecond())));
    if (!rule.replaces().isEmpty()) {
      lines.add("replaces " + String.join(" ", rule.replaces()));
    }
    rule.envoy()
        .ifPresent(
            envoy ->
                lines.add(
                    words(
                        "envoy",
                        envoy.quota() ? "quota" : "each",
                        text(envoy.limitName()),
                        text(envoy.metadata()))));
  }

  private static String encode(Match match) {
    return words("match", text(match.key()), text(match.value()))
        + (match.shared() ? " shared" : "")
        + (match.inMetrics() ? " metrics" : "");
  }

  static Stored decode(String domain, Row row) {
    String[] lines = new String(row.value(), StandardCharsets.UTF_8).split("\n");
    String[] first = lines[0].split(" ");
    if (!first[0].equals(VERSION)) {
      throw new IllegalStateException(
          row.key() + " has format " + first[0] + " (expected: " + VERSION + ")");
    }
    long version = Long.parseLong(first[1]);
    if (first[2].equals(NONE)) {
      return new Stored(version, Optional.empty());
    }
    List<Rule> rules = new ArrayList<>();
    for (int i = 1; i < lines.length; ) {
      int end = i + 1;
      while (end < lines.length && !lines[end].startsWith("rule ")) {
        end++;
      }
      rules.add(rule(Arrays.asList(lines).subList(i, end)));
      i = end;
    }
    Instant changed = Instant.ofEpochMilli(Long.parseLong(first[2]));
    return new Stored(version, Optional.of(new Policy(domain, version, rules, changed)));
  }

  private static Rule rule(List<String> lines) {
    String[] w = lines.get(0).split(" ");
    Limit limit = null;
    Optional<Rate> rate = Optional.empty();
    List<Match> match = new ArrayList<>();
    Optional<LeaseRule> lease = Optional.empty();
    List<String> replaces = List.of();
    Optional<Rule.Envoy> envoy = Optional.empty();
    for (String line : lines.subList(1, lines.size())) {
      String[] v = line.split(" ");
      switch (v[0]) {
        case "limit" -> limit = PolicyLimitText.limit(v);
        case "rate" -> rate = Optional.of(new Rate(Long.parseLong(v[1]), period(v[2])));
        case "match" -> match.add(match(List.of(v)));
        case "lease" -> lease = Optional.of(lease(v));
        case "envoy" -> envoy = Optional.of(envoy(v));
        case "replaces" -> replaces = List.of(v).subList(1, v.length);
        default -> throw new IllegalStateException("a rule has a line of " + v[0]);
      }
    }
    return new Rule(
        w[1],
        match,
        limit,
        Long.parseLong(w[2]),
        w[3].equals("shadow"),
        Integer.parseInt(w[4]),
        FailMode.valueOf(w[5]),
        Long.parseLong(w[6]),
        lease,
        OnChange.valueOf(w[7]),
        replaces,
        rate,
        envoy);
  }

  private static Match match(List<String> v) {
    List<String> flags = v.subList(3, v.size());
    return new Match(
        untext(v.get(1)), untext(v.get(2)), flags.contains("shared"), flags.contains("metrics"));
  }

  private static Rule.Envoy envoy(String[] v) {
    return new Rule.Envoy(untext(v[2]), v[1].equals("quota"), untext(v[3]));
  }

  private static LeaseRule lease(String[] v) {
    return new LeaseRule(
        Integer.parseInt(v[1]),
        Duration.ofMillis(Long.parseLong(v[2])),
        Integer.parseInt(v[3]),
        Integer.parseInt(v[4]));
  }

  private static String words(Object... words) {
    return String.join(" ", Arrays.stream(words).map(String::valueOf).toList());
  }

  private static long micros(Duration period) {
    return period.toNanos() / 1000;
  }

  private static Duration period(String micros) {
    return Duration.of(Long.parseLong(micros), ChronoUnit.MICROS);
  }

  private static String text(String value) {
    String encoded = URLEncoder.encode(value, StandardCharsets.UTF_8);
    return value.isEmpty() ? NONE : encoded.equals(NONE) ? "%2D" : encoded;
  }

  private static String untext(String word) {
    return word.equals(NONE) ? "" : URLDecoder.decode(word, StandardCharsets.UTF_8);
  }
}
