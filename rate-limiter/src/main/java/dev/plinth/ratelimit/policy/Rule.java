package dev.plinth.ratelimit.policy;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * One limit, for what its matches pick out.
 *
 * @param version of the policy that last changed how the rule counts; what does not touch its
 *     budgets (fail mode, lease, replaces) leaves it
 * @param enforcePermille of its keys; the others are shadows
 * @param safeLimit of one node that decides locally; 0 for the limit divided by the nodes last seen
 * @param replaces names of rules that do not apply where this one matches
 * @param rate the limit as its author put it, which a reduced fraction no longer tells; empty for
 *     limits that have no period
 * @param envoy what only Envoy's call looks at
 */
public record Rule(
    String name,
    List<Match> match,
    Limit limit,
    long version,
    boolean shadow,
    int enforcePermille,
    FailMode failMode,
    long safeLimit,
    Optional<LeaseRule> lease,
    OnChange onChange,
    List<String> replaces,
    Optional<Rate> rate,
    Optional<Envoy> envoy) {

  public static final int ALL = 1000;

  public Rule {
    match = List.copyOf(match);
    replaces = List.copyOf(replaces);
  }

  /** With the rate that the limit itself tells. */
  public Rule(
      String name,
      List<Match> match,
      Limit limit,
      long version,
      boolean shadow,
      int enforcePermille,
      FailMode failMode,
      long safeLimit,
      Optional<LeaseRule> lease,
      OnChange onChange,
      List<String> replaces) {
    this(
        name,
        match,
        limit,
        version,
        shadow,
        enforcePermille,
        failMode,
        safeLimit,
        lease,
        onChange,
        replaces,
        Rate.of(limit),
        Optional.empty());
  }

  /** The same rule, counting since another version of its policy. */
  public Rule since(long policyVersion) {
    return new Rule(
        name,
        match,
        limit,
        policyVersion,
        shadow,
        enforcePermille,
        failMode,
        safeLimit,
        lease,
        onChange,
        replaces,
        rate,
        envoy);
  }

  /** The same rule, as Envoy's call is to see it. */
  public Rule with(Envoy options) {
    return new Rule(
        name,
        match,
        limit,
        version,
        shadow,
        enforcePermille,
        failMode,
        safeLimit,
        lease,
        onChange,
        replaces,
        rate,
        Optional.of(options));
  }

  /** So much in a period. */
  public record Rate(long limit, Duration period) {
    static Optional<Rate> of(Limit limit) {
      if (limit instanceof Limit.Bucket bucket) {
        return Optional.of(new Rate(bucket.den(), micros(bucket.num())));
      } else if (limit instanceof Limit.Paced paced) {
        return Optional.of(new Rate(paced.den(), micros(paced.num())));
      } else if (limit instanceof Limit.FixedWindow window) {
        return Optional.of(new Rate(window.limit(), micros(window.period())));
      } else if (limit instanceof Limit.SlidingCounter counter) {
        return Optional.of(new Rate(counter.limit(), micros(counter.period())));
      } else if (limit instanceof Limit.SlidingLog log) {
        return Optional.of(new Rate(log.limit(), micros(log.period())));
      }
      return Optional.empty();
    }

    private static Duration micros(long micros) {
      return Duration.of(micros, ChronoUnit.MICROS);
    }
  }

  /**
   * A descriptor that must be there.
   *
   * @param value empty for any; a {@code *} in it stands for any characters
   * @param shared whether all values that fit share one budget
   * @param inMetrics whether hits are counted by its value
   */
  public record Match(String key, String value, boolean shared, boolean inMetrics) {
    public Match(String key, String value) {
      this(key, value, false, false);
    }
  }

  /**
   * @param limitName in the answer; empty for none
   * @param quota whether a request is over only if all of its descriptors with this are
   * @param metadata JSON of an object; empty for none
   */
  public record Envoy(String limitName, boolean quota, String metadata) {}

  /** What happens to checks while the store does not answer. */
  public enum FailMode {
    LOCAL,
    OPEN,
    CLOSED
  }

  /**
   * @param maxFractionPermille of the limit's size, out in all leases together
   * @param holdersHint how many share that
   * @param serverAbovePerSecond checks a second from which on servers lease for themselves;
   *     negative for never
   */
  public record LeaseRule(
      int maxFractionPermille, Duration ttl, int holdersHint, int serverAbovePerSecond) {}
}
