package dev.plinth.ratelimit.grpc;

import com.google.protobuf.util.Timestamps;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.Policy;
import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.ratelimit.policy.Rule.LeaseRule;
import dev.plinth.ratelimit.policy.Rule.Match;
import dev.plinth.ratelimit.v1.EnvoyOptions;
import dev.plinth.ratelimit.v1.FailMode;
import dev.plinth.ratelimit.v1.OnChange;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Policies, checked and filled in, and back. */
final class PolicyWire {
  static final Pattern RULE_NAME = Pattern.compile("[a-z0-9_-]{1,64}");
  static final String RULE_NAME_FORM = "1..64 of a-z, 0-9, _ and -";
  private static final int MAX_RULES = 1000;
  private static final int MAX_BYTES = 512 << 10; // a row is one value of etcd, as text
  private static final int MAX_MATCHES = 16;
  private static final int MAX_LIMIT_NAME = 256;
  private static final int MAX_HOLDERS = 10_000;
  private static final int MAX_PER_SECOND = 1_000_000_000;

  private PolicyWire() {}

  /** Whose versions are still to be given. */
  static List<Rule> rules(List<dev.plinth.ratelimit.v1.Rule> wire) {
    FieldChecks.between("rules", wire.size(), 1, MAX_RULES);
    long bytes = wire.stream().mapToLong(dev.plinth.ratelimit.v1.Rule::getSerializedSize).sum();
    if (bytes > MAX_BYTES) {
      throw Failure.Invalid.field("rules", bytes + " bytes", "at most " + MAX_BYTES);
    }
    List<Rule> rules = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (int i = 0; i < wire.size(); i++) {
      String path = "rules[" + i + "].";
      Rule rule = rule(path, wire.get(i));
      if (!names.add(rule.name())) {
        throw Failure.Invalid.field(path + "name", '"' + rule.name() + '"', "each name once");
      }
      rules.add(rule);
    }
    ReplacementCheck.check(rules);
    return rules;
  }

  private static Rule rule(String path, dev.plinth.ratelimit.v1.Rule wire) {
    String name = ruleName(path + "name", wire.getName());
    LimitWire limit = LimitWire.of(path, wire);
    boolean places = limit.limit() instanceof Limit.Concurrency;
    boolean unlimited = limit.limit() instanceof Limit.Unlimited;
    if (wire.getShadow() && (places || unlimited)) {
      throw Failure.Invalid.field(
          path + "shadow",
          true,
          places ? "false: places are not taken on trial" : "false: it denies nothing");
    }
    int permille =
        wire.hasEnforcePermille()
            ? FieldChecks.between(
                path + "enforce_permille", wire.getEnforcePermille(), 0, Rule.Enforcement.ALL)
            : Rule.Enforcement.ALL;
    if ((places || unlimited) && permille != Rule.Enforcement.ALL) {
      throw Failure.Invalid.field(
          path + "enforce_permille",
          permille,
          places ? "absent: places are not taken on trial" : "absent: it denies nothing");
    }
    return new Rule(
        name,
        0,
        matches(path + "match", wire.getMatchList()),
        new Rule.Counting(
            limit.limit(), limit.rate(), onChange(path + "on_change", wire.getOnChange())),
        new Rule.Enforcement(
            wire.getShadow(),
            permille,
            failMode(path + "fail_mode", wire.getFailMode()),
            FieldChecks.between(path + "safe_limit", wire.getSafeLimit(), 0, LimitWire.MAX)),
        lease(path + "lease", wire, places || unlimited),
        List.copyOf(wire.getReplacesList()),
        wire.hasEnvoy() ? Optional.of(envoy(path + "envoy.", wire.getEnvoy())) : Optional.empty());
  }

  private static Rule.Envoy envoy(String path, EnvoyOptions wire) {
    return new Rule.Envoy(
        FieldChecks.optionalName(path + "limit_name", wire.getLimitName(), MAX_LIMIT_NAME),
        wire.getQuotaMode(),
        EnvoyMetadata.text(path + "metadata", wire.getMetadata()));
  }

  static String ruleName(String field, String name) {
    if (!RULE_NAME.matcher(name).matches()) {
      throw Failure.Invalid.field(field, FieldChecks.quoted(name), RULE_NAME_FORM);
    }
    return name;
  }

  private static List<Match> matches(String path, List<dev.plinth.ratelimit.v1.Match> wire) {
    FieldChecks.between(path, wire.size(), 0, MAX_MATCHES);
    List<Match> matches = new ArrayList<>();
    for (int i = 0; i < wire.size(); i++) {
      String at = path + "[" + i + "].";
      dev.plinth.ratelimit.v1.Match match = wire.get(i);
      matches.add(
          new Match(
              FieldChecks.name(at + "key", match.getKey(), RateLimitWire.MAX_KEY),
              RateLimitWire.value(at + "value", match.getValue()),
              match.getShared(),
              match.getValueInMetrics()));
    }
    return matches;
  }

  private static Rule.FailMode failMode(String field, FailMode mode) {
    return switch (mode) {
      case FAIL_MODE_UNSPECIFIED, FAIL_MODE_LOCAL -> Rule.FailMode.LOCAL;
      case FAIL_MODE_OPEN -> Rule.FailMode.OPEN;
      case FAIL_MODE_CLOSED -> Rule.FailMode.CLOSED;
      default -> throw Failure.Invalid.field(field, "unknown", "LOCAL, OPEN or CLOSED");
    };
  }

  private static dev.plinth.ratelimit.policy.OnChange onChange(String field, OnChange change) {
    return switch (change) {
      case ON_CHANGE_UNSPECIFIED, ON_CHANGE_AS_IS -> dev.plinth.ratelimit.policy.OnChange.AS_IS;
      case ON_CHANGE_RESET -> dev.plinth.ratelimit.policy.OnChange.RESET;
      case ON_CHANGE_PROPORTIONAL -> dev.plinth.ratelimit.policy.OnChange.PROPORTIONAL;
      case ON_CHANGE_ADDITIVE -> dev.plinth.ratelimit.policy.OnChange.ADDITIVE;
      default ->
          throw Failure.Invalid.field(field, "unknown", "AS_IS, RESET, PROPORTIONAL or ADDITIVE");
    };
  }

  private static Optional<LeaseRule> lease(
      String path, dev.plinth.ratelimit.v1.Rule wire, boolean lendsNothing) {
    if (!wire.hasLease()) {
      return Optional.empty();
    }
    if (lendsNothing || wire.getShadow()) {
      throw Failure.Invalid.field(
          path,
          "given",
          wire.getShadow() ? "absent with shadow" : "absent: the rule has nothing to lend");
    }
    dev.plinth.ratelimit.v1.LeaseRule lease = wire.getLease();
    int permille =
        FieldChecks.between(
            path + ".max_fraction_permille", lease.getMaxFractionPermille(), 0, 1000);
    Duration ttl =
        FieldChecks.duration(
            path + ".ttl",
            lease.hasTtl() ? lease.getTtl() : null,
            Duration.ofMillis(500),
            Duration.ofMillis(50),
            Duration.ofSeconds(60));
    int holders =
        FieldChecks.between(path + ".holders_hint", lease.getHoldersHint(), 0, MAX_HOLDERS);
    int above =
        FieldChecks.between(
            path + ".server_above_per_second",
            lease.getServerAbovePerSecond(),
            -MAX_PER_SECOND,
            MAX_PER_SECOND);
    return Optional.of(
        new LeaseRule(
            permille == 0 ? 100 : permille,
            ttl,
            holders == 0 ? 8 : holders,
            above == 0 ? 1000 : Math.max(above, -1)));
  }

  /** What {@link #policy(Policy)} made of a policy, on this node or another. */
  static Policy read(dev.plinth.ratelimit.v1.Policy wire) {
    List<Rule> rules = new ArrayList<>();
    for (dev.plinth.ratelimit.v1.Rule rule : wire.getRulesList()) {
      rules.add(rule("rules.", rule).since(rule.getVersion()));
    }
    return new Policy(
        wire.getDomain(),
        wire.getVersion(),
        rules,
        Instant.ofEpochMilli(Timestamps.toMillis(wire.getChangedAt())));
  }

  /** With all that was left open filled in. */
  static dev.plinth.ratelimit.v1.Policy policy(Policy policy) {
    dev.plinth.ratelimit.v1.Policy.Builder wire =
        dev.plinth.ratelimit.v1.Policy.newBuilder()
            .setDomain(policy.domain())
            .setVersion(policy.version())
            .setChangedAt(Timestamps.fromMillis(policy.changedAt().toEpochMilli()));
    policy.rules().forEach(rule -> wire.addRules(rule(rule)));
    return wire.build();
  }

  private static dev.plinth.ratelimit.v1.Rule rule(Rule rule) {
    dev.plinth.ratelimit.v1.Rule.Builder wire =
        dev.plinth.ratelimit.v1.Rule.newBuilder()
            .setName(rule.name())
            .setVersion(rule.version())
            .setShadow(rule.enforcement().shadow())
            .setEnforcePermille(rule.enforcement().permille())
            .setFailMode(FailMode.valueOf("FAIL_MODE_" + rule.failMode()))
            .setSafeLimit(rule.safeLimit())
            .setOnChange(OnChange.valueOf("ON_CHANGE_" + rule.counting().onChange()))
            .addAllReplaces(rule.replaces());
    LimitWire.fill(rule, wire);
    for (Match match : rule.match()) {
      wire.addMatchBuilder()
          .setKey(match.key())
          .setValue(match.value())
          .setShared(match.shared())
          .setValueInMetrics(match.inMetrics());
    }
    rule.envoy().ifPresent(envoy -> wire.setEnvoy(envoy(envoy)));
    rule.lease()
        .ifPresent(
            lease ->
                wire.getLeaseBuilder()
                    .setMaxFractionPermille(lease.maxFractionPermille())
                    .setTtl(RateLimitWire.duration(lease.ttl()))
                    .setHoldersHint(lease.holdersHint())
                    .setServerAbovePerSecond(lease.serverAbovePerSecond()));
    return wire.build();
  }

  private static EnvoyOptions envoy(Rule.Envoy envoy) {
    EnvoyOptions.Builder wire =
        EnvoyOptions.newBuilder().setLimitName(envoy.limitName()).setQuotaMode(envoy.quota());
    if (!envoy.metadata().isEmpty()) {
      wire.setMetadata(EnvoyMetadata.read(envoy.metadata()));
    }
    return wire.build();
  }
}
