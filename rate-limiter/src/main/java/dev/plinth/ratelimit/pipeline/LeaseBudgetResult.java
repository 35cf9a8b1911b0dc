package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.policy.Descriptor;
import dev.plinth.ratelimit.store.BudgetRequest.IdempotencyKey;
import java.util.List;
import java.util.Optional;

/** What came of asking for budget to spend without further calls. */
public sealed interface LeaseBudgetResult {
  long policyVersion();

  /**
   * @param validFor microseconds, counted from before it was asked for
   */
  record Leased(String id, long granted, long validFor, long policyVersion)
      implements LeaseBudgetResult {}

  /**
   * Nothing to lease now.
   *
   * @param retry microseconds until it is worth asking again
   */
  record Denied(long retry, long policyVersion) implements LeaseBudgetResult {}

  /** A rule that matches has no leases, none matches at all, or the store is away. */
  record NotLeasable(long policyVersion) implements LeaseBudgetResult {}

  /**
   * @param earlier given back in the same step
   */
  record LeaseBudgetSpec(
      List<Descriptor> descriptors,
      long requested,
      Optional<UnusedBudget> earlier,
      Optional<IdempotencyKey> idempotencyKey) {}

  /** What was not spent of a lease. */
  record UnusedBudget(String id, long unused) {}
}
