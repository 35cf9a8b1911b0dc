package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.ratelimit.store.Budget.Lending;
import java.util.List;

/**
 * What a set of budgets leases, where all of them do: of each term the strictest.
 *
 * @param share of what may be out in leases, for one of the holders that the rules expect
 * @param ttl in microseconds
 * @param refilled for one holder in a ttl
 * @param abovePerSecond checks from which on a server leases for itself; negative for never
 */
record LeaseTerms(long share, long ttl, long refilled, int abovePerSecond) {

  /** Null if one of them leases nothing. */
  static LeaseTerms of(List<RuleBudget> enforced) {
    LeaseTerms all = null;
    for (RuleBudget each : enforced) {
      if (each.budget().lending().isEmpty()) {
        return null;
      }
      LeaseTerms one = of(each.rule(), each.budget().lending().get());
      all = all == null ? one : all.and(one);
    }
    return all;
  }

  private static LeaseTerms of(Rule rule, Lending lending) {
    Rule.LeaseRule lease = rule.lease().orElseThrow();
    int holders = Math.max(1, lease.holdersHint());
    return new LeaseTerms(
        Math.max(1, lending.max() / holders),
        lending.ttl(),
        Math.max(1, rule.limit().refilled(lending.ttl()) / holders),
        lease.serverAbovePerSecond());
  }

  private LeaseTerms and(LeaseTerms other) {
    boolean never = abovePerSecond < 0 || other.abovePerSecond < 0;
    return new LeaseTerms(
        Math.min(share, other.share),
        Math.min(ttl, other.ttl),
        Math.min(refilled, other.refilled),
        never ? -1 : Math.max(abovePerSecond, other.abovePerSecond));
  }

  /** How much to ask for: the store halves what is left, and keeps to what may be out at all. */
  long atMost(long requested) {
    return Math.min(requested, Math.min(share, refilled));
  }
}
