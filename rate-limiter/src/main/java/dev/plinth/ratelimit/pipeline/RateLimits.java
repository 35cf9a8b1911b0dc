package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.pipeline.LeaseBudgetResult.UnusedBudget;
import dev.plinth.ratelimit.pipeline.ReserveResult.Settlement;
import dev.plinth.ratelimit.policy.Descriptor;
import dev.plinth.ratelimit.store.Budget;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.BudgetRequest.IdempotencyKey;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.Charge;
import dev.plinth.ratelimit.store.Operation.Reset;
import dev.plinth.ratelimit.store.Operation.Take;
import dev.plinth.ratelimit.store.Outcome.Done;
import dev.plinth.ratelimit.store.Outcome.Taken;
import dev.plinth.server.failure.Failure;
import java.util.ArrayList;
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
 * What the fail modes admit is never charged; the tests' AdmissionBounds say how much that is, and
 * what the store admits meanwhile counts in the budgets that this node keeps for itself.
 */
public final class RateLimits implements AutoCloseable {
  /**
   * The most budgets that the checks of one call come to, together. The store does nothing else
   * while it decides a request, so a larger one would take it from all domains.
   */
  static final int MAX_BUDGETS = 2_000;

  private final DecisionPipeline pipeline;
  private final Tickets tickets;
  private final Slots slots;
  private final ScheduledFuture<?> sweeping;

  public RateLimits(BudgetStore store, PipelineOptions options, NodeContext node) {
    this.pipeline = new DecisionPipeline(store, options, node);
    this.tickets = new Tickets(pipeline);
    this.slots = new Slots(pipeline);
    this.sweeping = node.scheduler().scheduleAtFixedRate(this::sweep, 1, 1, TimeUnit.SECONDS);
  }

  private void sweep() {
    pipeline.localBudgets.sweep();
    slots.sweep();
  }

  /** Whether something may be done now, and charges it if so. */
  public CompletionStage<Decision> check(CompiledPolicy policy, Check check) {
    return check(policy, policy.match(check.descriptors()), check);
  }

  /**
   * Several checks, each for itself and in any order, or all or none of them. Their own {@code key}
   * is not used: this one is for all of them. More than {@link #MAX_BUDGETS} are refused.
   */
  public CompletionStage<List<Decision>> checkMany(
      CompiledPolicy policy, List<Check> many, boolean allOrNothing, Optional<IdempotencyKey> key) {
    return checkMany(policy, many, allOrNothing, key, new CallDecisions());
  }

  /**
   * The same, possibly once more after it was stale.
   *
   * @param decided keeps what was charged; not used with {@code allOrNothing}, when nothing was
   */
  public CompletionStage<List<Decision>> checkMany(
      CompiledPolicy policy,
      List<Check> many,
      boolean allOrNothing,
      Optional<IdempotencyKey> key,
      CallDecisions decided) {
    List<BudgetSet> sets = new ArrayList<>();
    int budgets = 0;
    for (Check check : many) {
      BudgetSet set = policy.match(check.descriptors());
      sets.add(set);
      budgets += set.budgets().size();
      if (budgets > MAX_BUDGETS) {
        return tooManyBudgets("items"); // the others are not even looked up
      }
    }
    return allOrNothing
        ? allOrNothing(policy, new AllOrNothingChecks(policy, many, sets), key)
        : each(policy, sets, many, key, decided);
  }

  private static <R> CompletionStage<R> tooManyBudgets(String field) {
    return CompletableFuture.failedStage(
        Failure.Invalid.field(
            field,
            "more than " + MAX_BUDGETS + " budgets",
            "at most " + MAX_BUDGETS + " budgets of one call, by the rules of the policy"));
  }

  private CompletionStage<List<Decision>> each(
      CompiledPolicy policy,
      List<BudgetSet> sets,
      List<Check> checks,
      Optional<IdempotencyKey> key,
      CallDecisions decided) {
    if (key.isEmpty()) {
      return inAnyOrder(policy, sets, checks, decided);
    }
    // The first that has budgets, so that the store sees it, has the id as it is, and the others
    // wait for it: an id that was used for something else is noticed before anything is charged.
    int first = firstWithBudgets(sets);
    List<Check> others = new ArrayList<>();
    for (int i = 0; i < checks.size(); i++) {
      String id = key.get().id() + "/" + i;
      others.add(checks.get(i).as(new IdempotencyKey(id, key.get().fingerprint())));
    }
    others.remove(first);
    List<BudgetSet> otherSets = new ArrayList<>(sets);
    otherSets.remove(first);
    // A retry under another policy may begin with another item, whose verdict this is not.
    IdempotencyKey whole =
        new IdempotencyKey(
            key.get().id(), key.get().fingerprint() + (first == 0 ? "" : "/" + first));
    return check(policy, sets.get(first), checks.get(first).as(whole))
        .thenCompose(
            decision ->
                inAnyOrder(policy, otherSets, others, decided)
                    .thenApply(
                        rest -> {
                          List<Decision> all = new ArrayList<>(rest);
                          all.add(first, decision);
                          return all;
                        }));
  }

  private static int firstWithBudgets(List<BudgetSet> sets) {
    for (int i = 0; i < sets.size(); i++) {
      if (!sets.get(i).isEmpty()) {
        return i;
      }
    }
    return 0;
  }

  private CompletionStage<List<Decision>> inAnyOrder(
      CompiledPolicy policy, List<BudgetSet> sets, List<Check> checks, CallDecisions decided) {
    List<CompletableFuture<Decision>> decisions = new ArrayList<>();
    for (int i = 0; i < checks.size(); i++) {
      BudgetSet set = sets.get(i);
      Check check = checks.get(i);
      decisions.add(decided.of(check, () -> check(policy, set, check)));
    }
    return all(decisions);
  }

  private static CompletionStage<List<Decision>> all(List<CompletableFuture<Decision>> decisions) {
    return CompletableFuture.allOf(decisions.toArray(CompletableFuture[]::new))
        .thenApply(done -> decisions.stream().map(made -> made.getNow(null)).toList());
  }

  private CompletionStage<List<Decision>> allOrNothing(
      CompiledPolicy policy, AllOrNothingChecks all, Optional<IdempotencyKey> key) {
    if (all.set().isEmpty()) {
      List<Decision> allowed = new ArrayList<>();
      all.checks().forEach(check -> allowed.add(pipeline.noRule(policy, check.cost())));
      return CompletableFuture.completedStage(allowed);
    }
    return pipeline
        .take(all.set(), Take.of(all.charges()), key)
        .thenApply(result -> all.split(result.decision()));
  }

  /**
   * The descriptors of one request of Envoy, each for itself. Other than checks, they are matched
   * as Envoy's configuration is, most specific first; windows are charged for what is denied, too;
   * and a cost of 0 finds a budget over of which more than the limit is used. More than {@link
   * #MAX_BUDGETS} are refused.
   */
  public CompletionStage<List<Decision>> checkDescriptors(
      CompiledPolicy policy, List<Check> checks) {
    return checkDescriptors(policy, checks, new CallDecisions());
  }

  /** The same, possibly once more after it was stale. */
  public CompletionStage<List<Decision>> checkDescriptors(
      CompiledPolicy policy, List<Check> checks, CallDecisions decided) {
    List<DescriptorMatcher.Matched> matched =
        policy.descriptors(checks.stream().map(Check::descriptors).toList());
    if (matched.stream().mapToInt(each -> each.set().budgets().size()).sum() > MAX_BUDGETS) {
      return tooManyBudgets("descriptors");
    }
    List<CompletableFuture<Decision>> decisions = new ArrayList<>();
    for (int i = 0; i < checks.size(); i++) {
      DescriptorMatcher.Matched one = matched.get(i);
      Check check = checks.get(i);
      decisions.add(decided.of(check, () -> descriptor(policy, one, check)));
    }
    return all(decisions);
  }

  private CompletionStage<Decision> descriptor(
      CompiledPolicy policy, DescriptorMatcher.Matched matched, Check check) {
    return matched.unlimited().isPresent()
        ? CompletableFuture.completedStage(
            pipeline.unlimited(policy, check.cost(), matched.unlimited().get()))
        : check(policy, matched.set(), check);
  }

  private CompletionStage<Decision> check(CompiledPolicy policy, BudgetSet set, Check check) {
    if (set.isEmpty()) {
      return CompletableFuture.completedStage(pipeline.noRule(policy, check.cost()));
    }
    if (check.idempotencyKey().isPresent() || check.cost() == 0) {
      // A retry gets the first verdict, which only the store remembers.
      return takeUnmerged(set, check);
    }
    long now = pipeline.now();
    if (check.partial()) {
      Decision denied = pipeline.recorder.denied(set, 1, now);
      return denied != null ? CompletableFuture.completedStage(denied) : takeUnmerged(set, check);
    }
    Decision known = pipeline.queues.decideLocally(set, check.cost(), now);
    return known != null
        ? CompletableFuture.completedStage(known)
        : pipeline.check(set, check.cost(), now);
  }

  private CompletionStage<Decision> takeUnmerged(BudgetSet set, Check check) {
    List<Charge> charges = set.charges(check.cost());
    Take take = new Take(charges, 1, check.partial(), 0, 0, Optional.empty());
    return pipeline
        .take(set, take, check.idempotencyKey())
        .thenApply(DecisionPipeline.TakeResult::decision);
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

  /** Returns what a lease did not spend. */
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
      return CompletableFuture.completedStage(Inspection.of(set, List.of()));
    }
    return pipeline
        .send(set, BudgetRequest.of(Take.of(set.charges(0))))
        .thenApply(outcome -> Inspection.of(set, ((Taken) outcome).standings()));
  }

  /** Resets those budgets; only the one of {@code rule}, if given. */
  public CompletionStage<Inspection> reset(
      CompiledPolicy policy,
      List<Descriptor> descriptors,
      Optional<String> rule,
      Optional<IdempotencyKey> key) {
    BudgetSet all = policy.everything(descriptors);
    BudgetSet set = rule.map(name -> all.only(policy.policy(), name)).orElse(all);
    if (set.isEmpty()) {
      return CompletableFuture.completedStage(Inspection.of(set, List.of()));
    }
    List<Budget> budgets = set.budgets().stream().map(RuleBudget::budget).toList();
    return pipeline
        .send(set, new BudgetRequest(new Reset(budgets), key))
        .whenComplete((outcome, failure) -> pipeline.recorder.denials.budgetReturned(set))
        .thenApply(outcome -> Inspection.of(set, ((Done) outcome).standings()));
  }

  /** Memory that budgets take which this node decides without the store, by estimate. */
  public long localRowBytes() {
    return pipeline.localBudgets.bytes();
  }

  /**
   * Returns the leases of this node, and waits for that no longer than a decision would. The store
   * and the scheduler are closed by whoever made them.
   */
  @Override
  public void close() {
    sweeping.cancel(false);
    pipeline.close();
  }
}
