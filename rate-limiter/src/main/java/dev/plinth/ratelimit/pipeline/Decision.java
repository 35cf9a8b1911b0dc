package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.ratelimit.store.Outcome;
import java.util.List;

/**
 * Whether something may be done, and why.
 *
 * @param granted what was charged
 * @param retry microseconds, or {@link Outcome#NEVER}; 0 if it was allowed
 * @param limits one for each rule that matches, enforced ones first
 * @param policyVersion that it was decided with
 */
public record Decision(
    Verdict verdict,
    long granted,
    long retry,
    List<LimitStatus> limits,
    long policyVersion,
    DecidedBy decidedBy) {

  /** The answer. */
  public enum Verdict {
    ALLOW,
    DENY,
    ALLOW_SHADOW
  }

  /** Who knew. */
  public enum DecidedBy {
    STORE,
    LEASE,
    DENY_CACHE,
    LOCAL_FALLBACK,
    OPEN,
    CLOSED,
    NO_RULE
  }

  /**
   * How one rule stands after the decision.
   *
   * @param reset microseconds until all of it is there
   * @param near four fifths or more are used
   * @param over it had no room, or as a shadow would have had none
   */
  public record LimitStatus(
      Rule rule,
      long limit,
      long remaining,
      long reset,
      boolean near,
      boolean shadow,
      boolean over) {}
}
