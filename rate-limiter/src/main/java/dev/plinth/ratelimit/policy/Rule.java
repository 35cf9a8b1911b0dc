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
 * @param replaces names of rules that do not apply where this one matches
 * @param envoy what only Envoy's call uses
 */
public record Rule(
    String name,
    long version,
    List<Match> match,
    Counting counting,
    Enforcement enforcement,
    Optional<LeaseRule> lease,
    List<String> replaces,
    Optional<Envoy> envoy) {

  public Rule {
    match = List.copyOf(match);
    replaces = List.copyOf(replaces);
  }

  /** An enforced rule of version 1 without options. */
  public static Rule of(String name, List<Match> match, Limit limit) {
    return new Rule(
        name,
        1,
        match,
        Counting.of(limit),
        Enforcement.DEFAULT,
        Optional.empty(),
        List.of(),
        Optional.empty());
  }

  /** The same rule, counting since another version of its policy. */
  public Rule since(long policyVersion) {
    return new Rule(name, policyVersion, match, counting, enforcement, lease, replaces, envoy);
  }

  public Limit limit() {
    return counting.limit;
  }

  public Optional<Rate> rate() {
    return counting.rate;
  }

  public FailMode failMode() {
    return enforcement.failMode;
  }

  public long safeLimit() {
    return enforcement.safeLimit;
  }

  /** Whether the budget of a key is only counted, never the cause of a denial. */
  public boolean isShadow(String key) {
    return enforcement.shadow
        || enforcement.permille < Enforcement.ALL
            && !BudgetKey.isEnforced(key, enforcement.permille);
  }

  /** The limit of one of so many nodes while each decides locally. */
  public Limit safeLimitOf(int nodes) {
    return limit().of(Share.of(this, nodes));
  }

  /** In any interval of one period, with checks of cost 1 and nothing leased. */
  public long maxAdmittedPerPeriod() {
    long period =
        limit() instanceof Limit.CalendarWindow window
            ? window.unit().minLength()
            : rate().map(rate -> rate.period().toNanos() / 1000).orElse(0L);
    return limit().maxAdmitted(period, 1);
  }

  /**
   * @param rate the limit as its author put it, which a reduced fraction no longer tells; empty for
   *     limits that have no period
   * @param onChange what becomes of its budgets when the limit changes
   */
  public record Counting(Limit limit, Optional<Rate> rate, OnChange onChange) {
    /** With the rate that the limit itself tells. */
    public static Counting of(Limit limit) {
      return new Counting(limit, limit.rate(), OnChange.AS_IS);
    }
  }

  /**
   * @param shadow never the cause of a denial
   * @param permille of its keys that are enforced; the others are shadows
   * @param safeLimit of one node that decides locally; 0 for the limit divided by the nodes last
   *     seen
   */
  public record Enforcement(boolean shadow, int permille, FailMode failMode, long safeLimit) {
    public static final int ALL = 1000;
    public static final Enforcement DEFAULT = new Enforcement(false, ALL, FailMode.LOCAL, 0);
  }

  /** So much in a period. */
  public record Rate(long limit, Duration period) {
    static Rate of(long limit, long micros) {
      return new Rate(limit, Duration.of(micros, ChronoUnit.MICROS));
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
