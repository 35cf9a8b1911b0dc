package dev.plinth.ratelimit.policy;

import dev.plinth.ratelimit.policy.Rule.Counting;
import dev.plinth.ratelimit.policy.Rule.Enforcement;
import dev.plinth.ratelimit.policy.Rule.Envoy;
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
    Object changed = policy.<Object>map(p -> p.changedAt().toEpochMilli()).orElse(NONE);
    lines.add(words(VERSION, version, changed));
    policy.ifPresent(p -> p.rules().forEach(rule -> encode(rule, lines)));
    return String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
  }

  private static void encode(Rule rule, List<String> lines) {
    Enforcement enforcement = rule.enforcement();
    lines.add(
        words(
            "rule",
            rule.name(),
            rule.version(),
            enforcement.shadow() ? "shadow" : "enforced",
            enforcement.permille(),
            enforcement.failMode(),
            enforcement.safeLimit(),
            rule.counting().onChange()));
    lines.add(words("limit", rule.limit().kind().word(), rule.limit().text()).stripTrailing());
    rule.rate()
        .ifPresent(rate -> lines.add(words("rate", rate.limit(), rate.period().toNanos() / 1000)));
    for (Match match : rule.match()) {
      lines.add(
          words("match", encode(match.key()), encode(match.value()))
              + (match.shared() ? " shared" : "")
              + (match.inMetrics() ? " metrics" : ""));
    }
    for (LeaseRule lease : rule.lease().stream().toList()) {
      lines.add(
          words(
              "lease",
              lease.maxFractionPermille(),
              lease.ttl().toMillis(),
              lease.holdersHint(),
              lease.serverAbovePerSecond()));
    }
    if (!rule.replaces().isEmpty()) {
      lines.add("replaces " + String.join(" ", rule.replaces()));
    }
    for (Envoy envoy : rule.envoy().stream().toList()) {
      String mode = envoy.quota() ? "quota" : "each";
      lines.add(words("envoy", mode, encode(envoy.limitName()), encode(envoy.metadata())));
    }
  }

  static Stored decode(String domain, Row row) {
    String[] lines = new String(row.value(), StandardCharsets.UTF_8).split("\n");
    RowTextReader first = RowTextReader.of(lines[0]);
    String format = first.word();
    if (!format.equals(VERSION)) {
      throw new IllegalStateException(
          row.key() + " has format " + format + " (expected: " + VERSION + ")");
    }
    long version = first.number();
    String changed = first.word();
    if (changed.equals(NONE)) {
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
    Instant changedAt = Instant.ofEpochMilli(Long.parseLong(changed));
    return new Stored(version, Optional.of(new Policy(domain, version, rules, changedAt)));
  }

  private static Rule rule(List<String> lines) {
    Limit limit = null;
    Optional<Rate> rate = Optional.empty();
    List<Match> match = new ArrayList<>();
    Optional<LeaseRule> lease = Optional.empty();
    List<String> replaces = new ArrayList<>();
    Optional<Envoy> envoy = Optional.empty();
    for (String line : lines.subList(1, lines.size())) {
      RowTextReader words = RowTextReader.of(line);
      String kind = words.word();
      switch (kind) {
        case "limit" -> limit = LimitKind.ofWord(words.word()).parse(words);
        case "rate" -> rate = Optional.of(Rate.of(words.number(), words.number()));
        case "match" -> match.add(match(words));
        case "lease" -> lease = Optional.of(lease(words));
        case "envoy" -> envoy = Optional.of(envoy(words));
        case "replaces" -> replaces.addAll(words.rest());
        default -> throw new IllegalStateException("a rule has a line of " + kind);
      }
    }
    RowTextReader words = RowTextReader.of(lines.get(0));
    words.word();
    String name = words.word();
    long version = words.number();
    Enforcement enforcement =
        new Enforcement(
            words.word().equals("shadow"),
            Math.toIntExact(words.number()),
            FailMode.valueOf(words.word()),
            words.number());
    Counting counting = new Counting(limit, rate, OnChange.valueOf(words.word()));
    return new Rule(name, version, match, counting, enforcement, lease, replaces, envoy);
  }

  private static Match match(RowTextReader words) {
    String key = decode(words.word());
    String value = decode(words.word());
    List<String> flags = words.rest();
    return new Match(key, value, flags.contains("shared"), flags.contains("metrics"));
  }

  private static Envoy envoy(RowTextReader words) {
    boolean quota = words.word().equals("quota");
    return new Envoy(decode(words.word()), quota, decode(words.word()));
  }

  private static LeaseRule lease(RowTextReader words) {
    return new LeaseRule(
        Math.toIntExact(words.number()),
        Duration.ofMillis(words.number()),
        Math.toIntExact(words.number()),
        Math.toIntExact(words.number()));
  }

  private static String words(Object... words) {
    return String.join(" ", Arrays.stream(words).map(String::valueOf).toList());
  }

  private static String encode(String value) {
    String encoded = URLEncoder.encode(value, StandardCharsets.UTF_8);
    return value.isEmpty() ? NONE : encoded.equals(NONE) ? "%2D" : encoded;
  }

  private static String decode(String word) {
    return word.equals(NONE) ? "" : URLDecoder.decode(word, StandardCharsets.UTF_8);
  }
}
