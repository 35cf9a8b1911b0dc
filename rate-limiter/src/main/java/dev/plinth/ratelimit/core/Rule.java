package dev.plinth.ratelimit.core;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One limit, for what its matches pick out.
 *
 * @param version of the policy that last changed how the rule counts; what does not touch its
 *     budgets (fail mode, lease, replaces) leaves it
 * @param enforcePermille of its keys; the others are shadows
 * @param safeLimit of one node that decides alone; 0 for the limit divided by the nodes last seen
 * @param replaces names of rules that do not apply where this one matches
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
    List<String> replaces) {

  public static final int ALL = 1000;

  /**
   * A descriptor that must be there.
   *
   * @param value empty for any; with a {@code *} at its end for any that begins so
   */
  public record Match(String key, String value) {}

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
