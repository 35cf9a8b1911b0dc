package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.pipeline.Decision.LimitStatus;
import java.util.List;

/**
 * How the budgets of descriptors stand.
 *
 * @param replaced names of rules that match, but another one instead of them
 */
public record Inspection(List<KeyState> keys, List<String> replaced, long policyVersion) {
  /**
   * One budget.
   *
   * @param key in the store
   * @param ruleVersion of the rule that last wrote it; 0 if there is none
   * @param boundPerPeriod the most that may be admitted in any interval of one period, leases
   *     included
   * @param slots slots held, of a concurrency rule
   */
  public record KeyState(
      LimitStatus status, String key, long ruleVersion, long boundPerPeriod, long slots) {}
}
