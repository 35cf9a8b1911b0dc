package dev.plinth.client.limit;

import java.time.Duration;

/**
 * How limiters ask and what they keep.
 *
 * @param deadline how long an answer of the service is waited for
 * @param onUnavailable what is answered when none came
 * @param leaseAbove how many calls in a second make a limiter lease budget
 * @param holdDenials how long at most a denial is answered from memory, even if nothing would pass
 *     for longer: so late are a raised limit and a reset noticed
 * @param maxLimiters how many limiters are remembered with their denials and leases
 * @param idle how long at least a limiter that is not asked for is remembered
 */
public record LimitOptions(
    Duration deadline,
    OnUnavailable onUnavailable,
    int leaseAbove,
    Duration holdDenials,
    int maxLimiters,
    Duration idle) {
  private static final int NEVER = Integer.MAX_VALUE;
  private static final LimitOptions DEFAULTS =
      new LimitOptions(
          Duration.ofMillis(500),
          OnUnavailable.OPEN,
          20,
          Duration.ofSeconds(1),
          10_000,
          Duration.ofMinutes(1));

  public LimitOptions {
    if (deadline.isNegative() || deadline.isZero()) {
      throw new IllegalArgumentException("deadline: " + deadline + " (expected: above 0)");
    }
    if (leaseAbove < 0) {
      throw new IllegalArgumentException("leaseAbove: " + leaseAbove + " (expected: 0 or above)");
    }
    if (holdDenials.isNegative()) {
      throw new IllegalArgumentException("holdDenials: " + holdDenials + " (expected: 0 or above)");
    }
    if (maxLimiters < 2) {
      throw new IllegalArgumentException("maxLimiters: " + maxLimiters + " (expected: 2..)");
    }
    if (idle.isNegative() || idle.isZero()) {
      throw new IllegalArgumentException("idle: " + idle + " (expected: above 0)");
    }
  }

  /** 500 ms, open, leases above 20 calls a second, denials for 1 s, 10 000 limiters, 1 minute. */
  public static LimitOptions defaults() {
    return DEFAULTS;
  }

  public LimitOptions deadline(Duration time) {
    return new LimitOptions(time, onUnavailable, leaseAbove, holdDenials, maxLimiters, idle);
  }

  public LimitOptions onUnavailable(OnUnavailable mode) {
    return new LimitOptions(deadline, mode, leaseAbove, holdDenials, maxLimiters, idle);
  }

  /** 0 leases from the first call on. */
  public LimitOptions leaseAbove(int callsPerSecond) {
    return new LimitOptions(
        deadline, onUnavailable, callsPerSecond, holdDenials, maxLimiters, idle);
  }

  /** Every call that is not denied from memory is decided by the service. */
  public LimitOptions withoutLeases() {
    return leaseAbove(NEVER);
  }

  /** Zero asks the service after every denial. */
  public LimitOptions holdDenials(Duration most) {
    return new LimitOptions(deadline, onUnavailable, leaseAbove, most, maxLimiters, idle);
  }

  public LimitOptions maxLimiters(int most) {
    return new LimitOptions(deadline, onUnavailable, leaseAbove, holdDenials, most, idle);
  }

  public LimitOptions idle(Duration time) {
    return new LimitOptions(deadline, onUnavailable, leaseAbove, holdDenials, maxLimiters, time);
  }

  boolean leases() {
    return leaseAbove != NEVER;
  }
}
