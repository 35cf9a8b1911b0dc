package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.BudgetRequest.IdempotencyKey;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.Operation.Take;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.ratelimit.store.Outcome.Taken;
import dev.plinth.server.failure.Failure;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Decides a check from leases and cached denials, else by the store, else by the rules' fail modes.
 */
final class DecisionPipeline {
  private final NodeContext node;
  private final DecisionRecorder recorder;
  private final LocalDecider memory;
  private final LocalBudgets localBudgets;
  private final FailModeDecider fallback;
  private final ServerLeases leases;
  private final FlushQueues queues;
  private final long timeout;

  DecisionPipeline(BudgetStore store, PipelineOptions tuning, NodeContext node) {
    this.node = node;
    this.timeout = tuning.storeBudget().toNanos();
    StoreCircuitBreaker breaker = new StoreCircuitBreaker(tuning, node.events());
    DenyCache denials = new DenyCache(tuning, node.events());
    this.localBudgets = new LocalBudgets(node);
    this.recorder = new DecisionRecorder(node.events(), denials, localBudgets);
    this.fallback = new FailModeDecider(node, tuning, breaker, localBudgets);
    this.leases = new ServerLeases(node, tuning, recorder, this::enqueue);
    this.memory = new LocalDecider(recorder, leases, localBudgets);
    FlushFactory flushes = new FlushFactory(store, tuning, node, breaker, recorder);
    this.queues = new FlushQueues(flushes, node, memory, leases);
  }

  long now() {
    return node.nanos().getAsLong();
  }

  LocalDecider memory() {
    return memory;
  }

  DecisionRecorder recorder() {
    return recorder;
  }

  FailModeDecider fallback() {
    return fallback;
  }

  LocalBudgets localBudgets() {
    return localBudgets;
  }

  /** A check that may share its request with others. */
  CompletionStage<Decision> check(BudgetSet set, long cost, long now) {
    PendingCheck check = new PendingCheck(set, cost, now + timeout, fallback);
    queues.submit(check, now);
    return check;
  }

  CompletionStage<Outcome> send(BudgetSet set, BudgetRequest request) {
    return send(set.domain(), set.queueHash(), request);
  }

  /**
   * @param queueHash selects the flush queue
   */
  CompletionStage<Outcome> send(String domain, int queueHash, BudgetRequest request) {
    return submit(pending(domain, queueHash, request, Optional.empty()));
  }

  /**
   * @param onLateAnswer receives the store's answer if that comes after the stage failed
   */
  CompletionStage<Outcome> send(
      BudgetSet set, BudgetRequest request, Consumer<Outcome> onLateAnswer) {
    PendingRequest pending = pending(set.domain(), set.queueHash(), request, Optional.empty());
    return submit(pending.onLateAnswer(onLateAnswer));
  }

  /** Both in one step: the first, then the second, which is answered. */
  CompletionStage<Outcome> send(BudgetSet set, BudgetRequest first, BudgetRequest second) {
    PendingRequest before = pending(set.domain(), set.queueHash(), first, Optional.empty());
    return submit(pending(set.domain(), set.queueHash(), second, Optional.of(before)));
  }

  private PendingRequest pending(
      String domain, int queueHash, BudgetRequest request, Optional<PendingRequest> before) {
    return new PendingRequest(domain, queueHash, now() + timeout, request, before);
  }

  private CompletionStage<Outcome> submit(PendingRequest pending) {
    queues.submit(pending, now());
    return pending.thenApply(OutcomeErrors::known);
  }

  private void enqueue(PendingAnswer<?> answer) {
    queues.submit(answer, now());
  }

  /**
   * A decision of a take.
   *
   * @param delay microseconds until what was granted may be used
   */
  record TakeResult(Decision decision, long delay) {}

  /** A take as it is, by the store or else by the fail modes. */
  CompletionStage<TakeResult> take(BudgetSet set, Take take, Optional<IdempotencyKey> key) {
    return send(set, new BudgetRequest(take, key))
        .handle(
            (outcome, failure) -> {
              if (failure == null) {
                return result(set, take, (Taken) outcome);
              } else if (isStoreUnavailable(failure)) {
                return new TakeResult(fallback.decide(set, take.charges(), take.partial(), key), 0);
              }
              throw rethrown(failure);
            });
  }

  private TakeResult result(BudgetSet set, Take take, Taken taken) {
    Decision decision = Decisions.of(set, taken);
    recorder.record(set, decision);
    if (taken.admitted() > 0) {
      localBudgets.admitted(set, take.charges(), taken.granted());
    }
    return new TakeResult(decision, taken.delay());
  }

  Decision noRule(CompiledPolicy policy, long cost) {
    return counted(Decisions.noRule(policy, cost));
  }

  Decision unlimited(CompiledPolicy policy, long cost, Rule rule) {
    return counted(Decisions.unlimited(policy, cost, rule));
  }

  private Decision counted(Decision decision) {
    node.events().decided(decision.verdict(), decision.decidedBy());
    return decision;
  }

  /** Whether the store did not answer, rather than refuse. */
  static boolean isStoreUnavailable(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return !(cause instanceof StalePolicyException) && !(cause instanceof Failure.Invalid);
  }

  /** Whether the store may have done it all the same. */
  static boolean mayHaveApplied(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return !(cause instanceof Failure.StoreUnavailable unavailable) || unavailable.mayHaveApplied();
  }

  /** The same failure, wrapped once. */
  static CompletionException rethrown(Throwable failure) {
    return failure instanceof CompletionException known ? known : new CompletionException(failure);
  }

  void onReset(BudgetSet set) {
    recorder.denials().budgetReturned(set);
  }

  /** Once a second. */
  void sweep() {
    localBudgets.sweep();
  }

  void close() {
    try {
      leases.close().get(timeout, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // What is not returned stays charged.
    }
  }
}
