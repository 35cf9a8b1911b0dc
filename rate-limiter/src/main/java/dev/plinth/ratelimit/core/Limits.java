package dev.plinth.ratelimit.core;

import dev.plinth.ratelimit.core.BudgetLease.Rest;
import dev.plinth.ratelimit.core.Operation.Reset;
import dev.plinth.ratelimit.core.Operation.Take;
import dev.plinth.ratelimit.core.Outcome.Done;
import dev.plinth.ratelimit.core.Outcome.Taken;
import dev.plinth.ratelimit.core.Request.Once;
import dev.plinth.ratelimit.core.Reservation.Settlement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

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
 * charges. What the fail modes admit is never charged; {@link Bounds#alone} says how much that is,
 * and what the store admits meanwhile counts in the budgets that this node keeps for itself.
 */
public final class Limits implements AutoCloseable {
  private final Way way;
  private final Checks checks;
  private final Tickets tickets;
  private final Slots slots;
  private final ScheduledFuture<?> upkeep;

  public Limits(BudgetStore store, Tuning tuning, Node node) {
    this.way = new Way(store, tuning, node);
    this.checks = new Checks(way);
    this.tickets = new Tickets(way);
    this.slots = new Slots(way);
    this.upkeep = node.scheduler().scheduleAtFixedRate(this::upkeep, 1, 1, TimeUnit.SECONDS);
  }

  private void upkeep() {
    way.upkeep();
    slots.upkeep();
  }

  /** Whether something may be done now, and charges it if so. */
  public CompletionStage<Decision> check(CompiledPolicy policy, Check check) {
    return checks.check(policy, check);
  }

  /**
   * Several checks, each for itself and in any order, or all or none of them. Their own {@code
   * once} is not looked at: this one is for all of them.
   */
  public CompletionStage<List<Decision>> checkMany(
      CompiledPolicy policy, List<Check> many, boolean allOrNothing, Optional<Once> once) {
    return allOrNothing ? checks.allOrNothing(policy, many, once) : checks.each(policy, many, once);
  }

  /**
   * The descriptors of one request of Envoy, each for itself. Other than checks, they are matched
   * as Envoy's configuration is, most specific first; windows are charged for what is denied, too;
   * and a cost of 0 finds a budget over of which more than the limit is used.
   */
  public CompletionStage<List<Decision>> checkDescriptors(
      CompiledPolicy policy, List<Check> descriptors) {
    return checks.descriptors(policy, descriptors);
  }

  public CompletionStage<Reservation> reserve(CompiledPolicy policy, Reservation.Wish wish) {
    return tickets.reserve(policy, wish);
  }

  /** Says what a reservation really cost. */
  public CompletionStage<Settlement> settle(
      String domain, String reservation, long actual, Optional<Once> once) {
    return tickets.settle(domain, reservation, actual, once);
  }

  public CompletionStage<BudgetLease> lease(CompiledPolicy policy, BudgetLease.Wish wish) {
    return tickets.lease(policy, wish);
  }

  /** Gives back what a lease did not spend. */
  public CompletionStage<Settlement> giveBack(String domain, Rest rest, Optional<Once> once) {
    return tickets.giveBack(domain, rest, once);
  }

  public CompletionStage<SlotGrant> acquireSlot(CompiledPolicy policy, SlotGrant.Wish wish) {
    return slots.acquire(policy, wish);
  }

  /** False if its time ran out, or it was released. */
  public CompletionStage<Boolean> renewSlot(String domain, String slot, long ttlMicros) {
    return slots.renew(domain, slot, ttlMicros);
  }

  /** False if it was not held. */
  public CompletionStage<Boolean> releaseSlot(String domain, String slot, Optional<Once> once) {
    return slots.release(domain, slot, once);
  }

  /** How the budgets that descriptors come to stand, of checks and of slots; changes nothing. */
  public CompletionStage<Inspection> inspect(CompiledPolicy policy, List<Descriptor> descriptors) {
    BudgetSet set = policy.everything(descriptors);
    if (set.isEmpty()) {
      return CompletableFuture.completedStage(Inspections.of(set, List.of()));
    }
    return way.send(set, Request.of(Take.of(set.charges(0))))
        .thenApply(outcome -> Inspections.of(set, ((Taken) outcome).standings()));
  }

  /** Those budgets begin anew; only the one of {@code rule}, if given. */
  public CompletionStage<Inspection> reset(
      CompiledPolicy policy,
      List<Descriptor> descriptors,
      Optional<String> rule,
      Optional<Once> once) {
    BudgetSet all = policy.everything(descriptors);
    BudgetSet set = rule.map(name -> all.only(policy.policy(), name)).orElse(all);
    if (set.isEmpty()) {
      return CompletableFuture.completedStage(Inspections.of(set, List.of()));
    }
    List<Budget> budgets = set.budgets().stream().map(RuleBudget::budget).toList();
    return way.send(set, new Request(new Reset(budgets), once))
        .whenComplete((outcome, failure) -> way.wasReset(set))
        .thenApply(outcome -> Inspections.of(set, ((Done) outcome).standings()));
  }

  /** Memory that budgets take which this node decides without the store, by estimate. */
  public long localRowBytes() {
    return way.alone().bytes();
  }

  /**
   * Gives back the leases of this node, and waits for that no longer than a decision would. The
   * store and the scheduler are closed by whoever made them.
   */
  @Override
  public void close() {
    upkeep.cancel(false);
    way.close();
  }
}
