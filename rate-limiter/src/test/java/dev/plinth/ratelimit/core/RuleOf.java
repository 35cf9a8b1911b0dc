package dev.plinth.ratelimit.core;

import dev.plinth.ratelimit.core.Rule.FailMode;
import dev.plinth.ratelimit.core.Rule.LeaseRule;
import dev.plinth.ratelimit.core.Rule.Match;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A rule with only what a test is about. */
final class RuleOf {
  static final String DOMAIN = "shop";

  private final String name;
  private final Limit limit;
  private final List<Match> match = new ArrayList<>();
  private final List<String> replaces = new ArrayList<>();
  private Optional<LeaseRule> lease = Optional.empty();
  private long version = 1;
  private boolean shadow;
  private int permille = Rule.ALL;
  private FailMode failMode = FailMode.LOCAL;
  private long safeLimit;

  private RuleOf(String name, Limit limit) {
    this.name = name;
    this.limit = limit;
  }

  static RuleOf of(String name, Limit limit) {
    return new RuleOf(name, limit);
  }

  static RuleOf bucket(String name, long burst, long perSecond) {
    long common = BigInteger.valueOf(1_000_000).gcd(BigInteger.valueOf(perSecond)).longValueExact();
    return of(name, new Limit.Bucket(burst, 1_000_000 / common, perSecond / common));
  }

  RuleOf match(String key) {
    return match(key, "");
  }

  RuleOf match(String key, String value) {
    match.add(new Match(key, value));
    return this;
  }

  RuleOf version(long since) {
    version = since;
    return this;
  }

  RuleOf shadow() {
    shadow = true;
    return this;
  }

  RuleOf permille(int share) {
    permille = share;
    return this;
  }

  RuleOf fail(FailMode mode) {
    failMode = mode;
    return this;
  }

  RuleOf safe(long limitOfNode) {
    safeLimit = limitOfNode;
    return this;
  }

  RuleOf replaces(String other) {
    replaces.add(other);
    return this;
  }

  RuleOf lease(int share, Duration ttl, int holders, int above) {
    lease = Optional.of(new LeaseRule(share, ttl, holders, above));
    return this;
  }

  Rule rule() {
    return new Rule(
        name,
        match,
        limit,
        version,
        shadow,
        permille,
        failMode,
        safeLimit,
        lease,
        OnChange.AS_IS,
        replaces);
  }

  static CompiledPolicy policy(RuleOf... rules) {
    return policyOf(1, rules);
  }

  static CompiledPolicy policyOf(long version, RuleOf... rules) {
    return CompiledPolicy.of(
        new Policy(
            DOMAIN, version, List.of(rules).stream().map(RuleOf::rule).toList(), Instant.EPOCH));
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
