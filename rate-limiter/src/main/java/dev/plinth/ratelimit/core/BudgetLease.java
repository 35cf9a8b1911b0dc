package dev.plinth.ratelimit.core;

import dev.plinth.ratelimit.core.Request.Once;
import java.util.List;
import java.util.Optional;

/** What came of asking for budget to spend without further calls. */
public sealed interface BudgetLease {
  long policyVersion();

  /**
   * @param validFor microseconds, counted from before it was asked for
   */
  record Leased(String id, long granted, long validFor, long policyVersion)
      implements BudgetLease {}

  /**
   * Nothing to lease now.
   *
   * @param retry microseconds until it is worth asking again
   */
  record Nothing(long retry, long policyVersion) implements BudgetLease {}

  /** A rule that matches has no leases, none matches at all, or the store is away. */
  record NotLeasable(long policyVersion) implements BudgetLease {}

  /**
   * @param earlier given back in the same step
   */
  record Wish(
      List<Descriptor> descriptors, long want, Optional<Rest> earlier, Optional<Once> once) {}

  /** What was not spent of a lease. */
  record Rest(String id, long unused) {}
}
