package dev.plinth.ratelimit.store;

import dev.plinth.ratelimit.policy.Limit;
import java.util.List;
import java.util.Optional;

/** One step on the budgets of a domain: applied whole or not at all, at one moment of the store. */
public sealed interface Operation {
  /** How many budgets it names; one that names a ticket or a slot counts as one. */
  default int budgetCount() {
    return 1;
  }

  /**
   * Equal checks, one after the other: each is admitted if every enforced budget has room for its
   * charge, and then charged to all, or denied and charged to none. Shadows are charged with what
   * was admitted, each as far as it has room, on its own. A charge that is made {@link
   * Charge#always} is made for every one of the checks, and nothing else differs.
   *
   * @param charges at most one for a budget; a cost of 0 only reads, and a concurrency limit can
   *     only be read
   * @param count how many checks; 1 with {@code partial}, {@code maxWait} or a ticket
   * @param partial grants as much of the cost, which is then the same in all charges, as there is
   * @param maxWait microseconds of the future that may be taken, of budgets that have one: bucket
   *     and paced; up to {@link Limit#HOUR}, and 0 with {@code partial}
   * @param lease how much more to take in advance, if all were admitted: at most this, half of what
   *     is left in every enforced budget, and what {@link Budget.Lending} leaves; 0 for none
   * @param ticket records what was granted, so that it can be settled: the lease where one is
   *     requested, else the cost or the part of it; nothing is recorded if that is nothing
   */
  record Take(
      List<Charge> charges,
      int count,
      boolean partial,
      long maxWait,
      long lease,
      Optional<Ticket> ticket)
      implements Operation {

    public static Take of(List<Charge> charges) {
      return new Take(charges, 1, false, 0, 0, Optional.empty());
    }

    @Override
    public int budgetCount() {
      return charges.size();
    }

    public Take times(int many) {
      return new Take(charges, many, partial, maxWait, lease, ticket);
    }
  }

  /**
   * A record of what was granted.
   *
   * @param id unique in the domain
   * @param ttl how long it can be settled, in microseconds from the end of the wait; up to {@link
   *     Limit#HOUR}
   */
  record Ticket(String id, long ttl) {
    /** In microseconds from when it was taken: after so long every ticket is over. */
    public static final long MAX_AGE = 2 * Limit.HOUR;
  }

  /**
   * Says what a ticket really cost: the difference goes back to its budgets, as far as what was
   * charged still counts there, has not refilled since, was not reset, and the rule is still of the
   * same version; or is charged on top. Once; the ticket is gone afterwards.
   */
  record Settle(String ticket, long actual) implements Operation {
    public Settle {
      inRange("actual", actual);
    }
  }

  /**
   * Settles a ticket by what was not spent of it: all of it, if that is said to be more. What was
   * granted is known from the ticket alone.
   */
  record ReturnUnused(String ticket, long unused) implements Operation {
    public ReturnUnused {
      inRange("unused", unused);
    }
  }

  /**
   * Every budget is reset, and tickets from before have nothing to refund to it; of a concurrency
   * limit, the slots in it end.
   */
  record Reset(List<Budget> budgets) implements Operation {
    @Override
    public int budgetCount() {
      return budgets.size();
    }
  }

  /**
   * A slot in each of these, all concurrency limits, or in none.
   *
   * @param slot unique in the domain; the same again is the same slot, renewed, or {@link
   *     Outcome.Reused} if it is held in other budgets
   * @param ttl in microseconds, up to {@link Limit#HOUR}
   */
  record AcquireSlot(List<Budget> budgets, String slot, long ttl) implements Operation {
    @Override
    public int budgetCount() {
      return budgets.size();
    }
  }

  record RenewSlot(String slot, long ttl) implements Operation {}

  record ReleaseSlot(String slot) implements Operation {}

  /** Sums with a larger number would not be exact, and at last overflow. */
  private static void inRange(String field, long units) {
    if (units < 0 || units > Limit.DEBT) {
      throw new IllegalArgumentException(
          "%s: %d (expected: 0..%d)".formatted(field, units, Limit.DEBT));
    }
  }
}
