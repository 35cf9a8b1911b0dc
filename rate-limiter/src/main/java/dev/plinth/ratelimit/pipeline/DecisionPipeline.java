package dev.plinth.ratelimit.pipeline;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.BudgetRequest.IdempotencyKey;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.Operation.Take;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.ratelimit.store.Outcome.Taken;
import dev.plinth.server.failure.Failure;
import dev.plinth.server.failure.Failure.Invalid.Violation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Decides a check from leases and cached denials, else by the store, else by the rules' fail modes.
 */
final class DecisionPipeline {
  final DecisionRecorder recorder;
  final LocalBudgets localBudgets;
  final FailModeDecider fallback;
  final FlushQueues queues;
  private final NodeContext node;
  private final ServerLeases leases;
  private final long timeout;

  DecisionPipeline(BudgetStore store, PipelineOptions options, NodeContext node) {
    this.node = node;
    this.timeout = options.storeBudget().toNanos();
    StoreCircuitBreaker breaker = new StoreCircuitBreaker(options, node.events());
    this.localBudgets = new LocalBudgets(node);
    this.recorder =
        new DecisionRecorder(node.events(), new DenyCache(options, node.events()), localBudgets);
    this.fallback = new FailModeDecider(node, options, breaker, localBudgets);
    this.leases = new ServerLeases(node, options, recorder, this::submit);
    this.queues = new FlushQueues(store, options, node, breaker, recorder, leases);
  }

  /** A new id of something that only who knows it may name. */
  String newId(String kind, Optional<IdempotencyKey> key) {
    return Tickets.id(kind, key, node.machine().secureRandom());
  }

  long now() {
    return node.nanos().getAsLong();
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
    return send(pending(domain, queueHash, request, Optional.empty()));
  }

  /**
   * @param onLateAnswer receives the store's answer if that comes after the stage failed
   */
  CompletionStage<Outcome> send(
      BudgetSet set, BudgetRequest request, Consumer<Outcome> onLateAnswer) {
    PendingRequest pending = pending(set.domain(), set.queueHash(), request, Optional.empty());
    return send(pending.onLateAnswer(onLateAnswer));
  }

  /** Both in one step: the first, then the second, which is answered. */
  CompletionStage<Outcome> send(BudgetSet set, BudgetRequest first, BudgetRequest second) {
    PendingRequest before = pending(set.domain(), set.queueHash(), first, Optional.empty());
    return send(pending(set.domain(), set.queueHash(), second, Optional.of(before)));
  }

  private PendingRequest pending(
      String domain, int queueHash, BudgetRequest request, Optional<PendingRequest> before) {
    return new PendingRequest(domain, queueHash, now() + timeout, request, before);
  }

  private CompletionStage<Outcome> send(PendingRequest pending) {
    queues.submit(pending, now());
    return pending.thenApply(DecisionPipeline::known);
  }

  private void submit(PendingAnswer<?> answer) {
    queues.submit(answer, now());
  }

  /** The outcome, unless nothing was done. */
  static Outcome known(Outcome outcome) {
    if (outcome instanceof Outcome.Stale stale) {
      throw new StalePolicyException(stale.version());
    } else if (outcome instanceof Outcome.Reused) {
      throw new Failure.Invalid(
          ErrorReason.ERROR_REASON_REQUEST_ID_REUSED,
          List.of(
              new Violation(
                  "request_id", "was used before with another request (expected: a new id)")));
    }
    return outcome;
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

  void close() {
    try {
      node.machine().await(leases.close(), Duration.ofNanos(timeout));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // What is not returned stays charged.
    }
  }
}
