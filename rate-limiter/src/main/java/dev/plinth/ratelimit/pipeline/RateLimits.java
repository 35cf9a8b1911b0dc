package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.pipeline.LeaseBudgetResult.UnusedBudget;
import dev.plinth.ratelimit.pipeline.ReserveResult.Settlement;
import dev.plinth.ratelimit.policy.Descriptor;
import dev.plinth.ratelimit.store.Budget;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.BudgetRequest.IdempotencyKey;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.Operation.Reset;
import dev.plinth.ratelimit.store.Operation.Take;
import dev.plinth.ratelimit.store.Outcome.Done;
import dev.plinth.ratelimit.store.Outcome.Taken;
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
 * budget of {@link PipelineOptions}: when the store has not answered by then, by the rules' fail
 * modes. The other calls then fail with {@link dev.plinth.server.failure.Failure.StoreUnavailable},
 * except where their result has a case for it. A stage fails with {@link StalePolicyException} if a
 * budget was written by a later version of the policy, and with {@link
 * dev.plinth.server.failure.Failure.Invalid} if a request id was used for another request.
 *
 * <p>Whatever is lost or late, a budget is never charged less than was admitted: what this node
 * admits from memory was charged before (leases), and an answer that comes too late only charges.
 * What the fail modes admit is never charged; {@link AdmissionBounds#localFallback} says how much
 * that is, and what the store admits meanwhile counts in the budgets that this node keeps for
 * itself.
 */
public final class RateLimits implements AutoCloseable {
  private final DecisionPipeline pipeline;
  private final Checks checks;
  private final Tickets tickets;
  private final Slots slots;
  private final ScheduledFuture<?> sweeping;

  public RateLimits(BudgetStore store, PipelineOptions tuning, NodeContext node) {
    this.pipeline = new DecisionPipeline(store, tuning, node);
    this.checks = new Checks(pipeline);
    this.tickets = new Tickets(pipeline);
    this.slots = new Slots(pipeline);
    this.sweeping = node.scheduler().scheduleAtFixedRate(this::sweep, 1, 1, TimeUnit.SECONDS);
  }

  private void sweep() {
    pipeline.sweep();
    slots.sweep();
  }

  /** Whether something may be done now, and charges it if so. */
  public CompletionStage<Decision> check(CompiledPolicy policy, Check check) {
    return checks.check(policy, check);
  }

  /**
   * Several checks, each for itself and in any order, or all or none of them. Their own {@code key}
   * is not looked at: this one is for all of them.
   */
  public CompletionStage<List<Decision>> checkMany(
      CompiledPolicy policy, List<Check> many, boolean allOrNothing, Optional<IdempotencyKey> key) {
    return allOrNothing ? checks.allOrNothing(policy, many, key) : checks.each(policy, many, key);
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

  public CompletionStage<ReserveResult> reserve(
      CompiledPolicy policy, ReserveResult.ReserveSpec spec) {
    return tickets.reserve(policy, spec);
  }

  /** Says what a reservation really cost. */
  public CompletionStage<Settlement> settle(
      String domain, String reservation, long actual, Optional<IdempotencyKey> key) {
    return tickets.settle(domain, reservation, actual, key);
  }

  public CompletionStage<LeaseBudgetResult> lease(
      CompiledPolicy policy, LeaseBudgetResult.LeaseBudgetSpec spec) {
    return tickets.lease(policy, spec);
  }

  /** Gives back what a lease did not spend. */
  public CompletionStage<Settlement> returnBudget(
      String domain, UnusedBudget unused, Optional<IdempotencyKey> key) {
    return tickets.returnUnused(domain, unused, key);
  }

  public CompletionStage<AcquireSlotResult> acquireSlot(
      CompiledPolicy policy, AcquireSlotResult.AcquireSlotSpec spec) {
    return slots.acquire(policy, spec);
  }

  /** False if its time ran out, or it was released. */
  public CompletionStage<Boolean> renewSlot(String domain, String slot, long ttlMicros) {
    return slots.renew(domain, slot, ttlMicros);
  }

  /** False if it was not held. */
  public CompletionStage<Boolean> releaseSlot(
      String domain, String slot, Optional<IdempotencyKey> key) {
    return slots.release(domain, slot, key);
  }

  /** How the budgets that descriptors come to stand, of checks and of slots; changes nothing. */
  public CompletionStage<Inspection> inspect(CompiledPolicy policy, List<Descriptor> descriptors) {
    BudgetSet set = policy.everything(descriptors);
    if (set.isEmpty()) {
      return CompletableFuture.completedStage(Inspections.of(set, List.of()));
    }
    return pipeline
        .send(set, BudgetRequest.of(Take.of(set.charges(0))))
        .thenApply(outcome -> Inspections.of(set, ((Taken) outcome).standings()));
  }

  /** Those budgets begin anew; only the one of {@code rule}, if given. */
  public CompletionStage<Inspection> reset(
      CompiledPolicy policy,
      List<Descriptor> descriptors,
      Optional<String> rule,
      Optional<IdempotencyKey> key) {
    BudgetSet all = policy.everything(descriptors);
    BudgetSet set = rule.map(name -> all.only(policy.policy(), name)).orElse(all);
    if (set.isEmpty()) {
      return CompletableFuture.completedStage(Inspections.of(set, List.of()));
    }
    List<Budget> budgets = set.budgets().stream().map(RuleBudget::budget).toList();
    return pipeline
        .send(set, new BudgetRequest(new Reset(budgets), key))
        .whenComplete((outcome, failure) -> pipeline.onReset(set))
        .thenApply(outcome -> Inspections.of(set, ((Done) outcome).standings()));
  }

  /** Memory that budgets take which this node decides without the store, by estimate. */
  public long localRowBytes() {
    return pipeline.localBudgets().bytes();
  }

  /**
   * Gives back the leases of this node, and waits for that no longer than a decision would. The
   * store and the scheduler are closed by whoever made them.
   */
  @Override
  public void close() {
    sweeping.cancel(false);
    pipeline.close();
  }
}
