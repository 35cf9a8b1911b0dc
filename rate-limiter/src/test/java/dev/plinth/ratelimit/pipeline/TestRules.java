package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.policy.Descriptor;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.Policy;
import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.ratelimit.policy.Rule.Counting;
import dev.plinth.ratelimit.policy.Rule.Enforcement;
import dev.plinth.ratelimit.policy.Rule.FailMode;
import dev.plinth.ratelimit.policy.Rule.LeaseRule;
import dev.plinth.ratelimit.policy.Rule.Match;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A rule with only what a test is about. */
final class TestRules {
  static final String DOMAIN = "shop";

  private final String name;
  private final Limit limit;
  private final List<Match> match = new ArrayList<>();
  private final List<String> replaces = new ArrayList<>();
  private Optional<LeaseRule> lease = Optional.empty();
  private long version = 1;
  private boolean shadow;
  private int permille = Enforcement.ALL;
  private FailMode failMode = FailMode.LOCAL;
  private long safeLimit;

  private TestRules(String name, Limit limit) {
    this.name = name;
    this.limit = limit;
  }

  static TestRules of(String name, Limit limit) {
    return new TestRules(name, limit);
  }

  static TestRules bucket(String name, long burst, long perSecond) {
    long common = BigInteger.valueOf(1_000_000).gcd(BigInteger.valueOf(perSecond)).longValueExact();
    return of(name, new Limit.Bucket(burst, 1_000_000 / common, perSecond / common));
  }

  TestRules match(String key) {
    return match(key, "");
  }

  TestRules match(String key, String value) {
    match.add(new Match(key, value));
    return this;
  }

  TestRules version(long since) {
    version = since;
    return this;
  }

  TestRules shadow() {
    shadow = true;
    return this;
  }

  TestRules permille(int share) {
    permille = share;
    return this;
  }

  TestRules fail(FailMode mode) {
    failMode = mode;
    return this;
  }

  TestRules safe(long limitOfNode) {
    safeLimit = limitOfNode;
    return this;
  }

  TestRules replaces(String other) {
    replaces.add(other);
    return this;
  }

  TestRules lease(int share, Duration ttl, int holders, int above) {
    lease = Optional.of(new LeaseRule(share, ttl, holders, above));
    return this;
  }

  Rule rule() {
    return new Rule(
        name,
        version,
        match,
        Counting.of(limit),
        new Enforcement(shadow, permille, failMode, safeLimit),
        lease,
        replaces,
        Optional.empty());
  }

  static CompiledPolicy policy(TestRules... rules) {
    return policyOf(1, rules);
  }

  static CompiledPolicy policyOf(long version, TestRules... rules) {
    return CompiledPolicy.of(
        new Policy(
            DOMAIN, version, List.of(rules).stream().map(TestRules::rule).toList(), Instant.EPOCH));
  }

  /** {@code descriptors("tenant", "acme", "user", "ann")}. */
  static List<Descriptor> descriptors(String... pairs) {
    List<Descriptor> all = new ArrayList<>();
    for (int i = 0; i < pairs.length; i += 2) {
      all.add(new Descriptor(pairs[i], pairs[i + 1]));
    }
    return all;
  }

  static Check check(long cost, String... pairs) {
    return new Check(descriptors(pairs), cost, false, Optional.empty());
  }
}
