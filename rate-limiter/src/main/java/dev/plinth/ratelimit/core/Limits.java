package dev.plinth.ratelimit.core;

import dev.plinth.ratelimit.core.BudgetLease.Rest;
import dev.plinth.ratelimit.core.Decision.DecidedBy;
import dev.plinth.ratelimit.core.Decision.LimitStatus;
import dev.plinth.ratelimit.core.Decision.Verdict;
import dev.plinth.ratelimit.core.Operation.Take;
import dev.plinth.ratelimit.core.Outcome.Taken;
import dev.plinth.ratelimit.core.Request.Once;
import dev.plinth.ratelimit.core.Reservation.Settlement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Decides what may be done, over a store that keeps the budgets.
 *
 * <p>Nothing here blocks: every answer is a stage, complete at once where memory knows it, and
 * otherwise on the thread that brings the store's answer. A check is decided within the store
 * budget of {@link Tuning}: when the store has not answered by then, by the rules' fail modes. The
 * other calls then fail with {@link dev.plinth.server.failure.Failure.StoreUnavailable}, except
 * where their result has a case for it. A stage fails with {@link StalePolicy} if a budget was
 * written by a later version of the policy, and with {@link
 * dev.plinth.server.failure.Failure.Invalid} if a request id was used for another request.
 *
 * <p>Whatever is lost or late, a budget is never charged less than was admitted: what this node
 * admits without asking was charged before (leases), and an answer that comes too late only
 * charges.
 */
public final class Limits implements AutoCloseable {
  private final BudgetStore store;
  private final Tuning tuning;
  private final Node node;

  public Limits(BudgetStore store, Tuning tuning, Node node) {
    this.store = store;
    this.tuning = tuning;
    this.node = node;
  }

  /** Whether something may be done now, and charges it if so. */
  public CompletionStage<Decision> check(CompiledPolicy policy, Check check) {
    BudgetSet set = policy.match(check.descriptors());
    if (set.isEmpty()) {
      return CompletableFuture.completedStage(
          new Decision(
              Verdict.ALLOW, check.cost(), 0, List.of(), policy.version(), DecidedBy.NO_RULE));
    }
    Take take = new Take(set.charges(check.cost()), 1, check.partial(), 0, 0, Optional.empty());
    return store
        .apply(set.domain(), List.of(new Request(take, check.once())))
        .thenApply(outcomes -> decision(set, (Taken) outcomes.get(0)));
  }

  private static Decision decision(BudgetSet set, Taken taken) {
    boolean allowed = taken.admitted() > 0;
    List<LimitStatus> limits =
        allowed
            ? Statuses.admitted(set, taken.standings(), 0)
            : Statuses.of(set, taken.standings());
    return new Decision(
        allowed
            ? Statuses.isShadowOver(limits) ? Verdict.ALLOW_SHADOW : Verdict.ALLOW
            : Verdict.DENY,
        allowed ? taken.granted() : 0,
        taken.retry(),
        limits,
        set.policyVersion(),
        DecidedBy.STORE);
  }

  /**
   * Several checks, each for itself and in any order, or all or none of them. What they have of
   * their own for sending again is not looked at: {@code once} is for all of them.
   */
  public CompletionStage<List<Decision>> checkMany(
      CompiledPolicy policy, List<Check> checks, boolean allOrNothing, Optional<Once> once) {
    throw new UnsupportedOperationException();
  }

  public CompletionStage<Reservation> reserve(CompiledPolicy policy, Reservation.Wish wish) {
    throw new UnsupportedOperationException();
  }

  /** Says what a reservation really cost. */
  public CompletionStage<Settlement> settle(
      String domain, String reservation, long actual, Optional<Once> once) {
    throw new UnsupportedOperationException();
  }

  public CompletionStage<BudgetLease> lease(CompiledPolicy policy, BudgetLease.Wish wish) {
    throw new UnsupportedOperationException();
  }

  /** Gives back what a lease did not spend. */
  public CompletionStage<Settlement> giveBack(String domain, Rest rest, Optional<Once> once) {
    throw new UnsupportedOperationException();
  }

  public CompletionStage<SlotGrant> acquireSlot(CompiledPolicy policy, SlotGrant.Wish wish) {
    throw new UnsupportedOperationException();
  }

  /** False if its time ran out, or it was released. */
  public CompletionStage<Boolean> renewSlot(String domain, String slot, long ttlMicros) {
    throw new UnsupportedOperationException();
  }

  /** False if it was not held. */
  public CompletionStage<Boolean> releaseSlot(String domain, String slot, Optional<Once> once) {
    throw new UnsupportedOperationException();
  }

  /** How the budgets that descriptors come to stand, of checks and of slots; changes nothing. */
  public CompletionStage<Inspection> inspect(CompiledPolicy policy, List<Descriptor> descriptors) {
    throw new UnsupportedOperationException();
  }

  /** Those budgets begin anew; only the one of {@code rule}, if given. */
  public CompletionStage<Inspection> reset(
      CompiledPolicy policy,
      List<Descriptor> descriptors,
      Optional<String> rule,
      Optional<Once> once) {
    throw new UnsupportedOperationException();
  }

  /** Gives back the leases of this node. The store is closed by whoever made it. */
  @Override
  public void close() {}
}
