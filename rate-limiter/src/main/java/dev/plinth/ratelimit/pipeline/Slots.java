package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.pipeline.Decision.LimitStatus;
import dev.plinth.ratelimit.store.Budget;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.BudgetRequest.IdempotencyKey;
import dev.plinth.ratelimit.store.Operation.AcquireSlot;
import dev.plinth.ratelimit.store.Operation.ReleaseSlot;
import dev.plinth.ratelimit.store.Operation.RenewSlot;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.ratelimit.store.Outcome.Held;
import dev.plinth.ratelimit.store.Outcome.SlotOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/**
 * Slots of concurrency rules. While the store is unavailable the fail modes decide here, too; a
 * slot that this node granted locally has no token, and is lost when the store is back. While a
 * store is slow, what it grants and what this node grants share one budget: each counts the
 * other's.
 */
final class Slots {
  private final DecisionPipeline pipeline;
  private final UnheldSlotReleaser releaser;

  Slots(DecisionPipeline pipeline) {
    this.pipeline = pipeline;
    this.releaser = new UnheldSlotReleaser(pipeline);
  }

  /** Once a second. */
  void sweep() {
    releaser.retry();
  }

  CompletionStage<AcquireSlotResult> acquire(
      CompiledPolicy policy, AcquireSlotResult.AcquireSlotSpec spec) {
    BudgetSet set = policy.slots(spec.descriptors());
    String slot = pipeline.newId("s", spec.idempotencyKey());
    if (set.isEmpty()) {
      return CompletableFuture.completedStage(
          new AcquireSlotResult(
              slot, 0, spec.ttl(), 0, List.of(), policy.version(), DecidedBy.NO_RULE));
    }
    List<Budget> budgets = set.budgets().stream().map(RuleBudget::budget).toList();
    BudgetRequest acquire =
        new BudgetRequest(new AcquireSlot(budgets, slot, spec.ttl()), spec.idempotencyKey());
    CompletableFuture<AcquireSlotResult> reply = new CompletableFuture<>();
    SlotRequest request = new SlotRequest(set, slot, spec.ttl());
    pipeline
        .send(set, acquire, late -> reply.thenAccept(grant -> onLateAnswer(request, grant, late)))
        .handle(
            (outcome, failure) -> {
              if (failure == null) {
                return decided(request, (SlotOutcome) outcome);
              } else if (DecisionPipeline.isStoreUnavailable(failure)) {
                AcquireSlotResult grant = withoutStore(request, spec.idempotencyKey());
                if (!grant.acquired() && DecisionPipeline.mayHaveApplied(failure)) {
                  releaser.release(set.domain(), slot, spec.ttl());
                }
                return grant;
              }
              throw DecisionPipeline.rethrown(failure);
            })
        .whenComplete(
            (grant, failure) -> {
              if (failure == null) {
                reply.complete(grant);
              } else {
                reply.completeExceptionally(failure);
              }
            });
    return reply;
  }

  /** A slot that is asked for. */
  private record SlotRequest(BudgetSet set, String id, long ttl) {}

  /** With slots that this node gave by itself, the store may have given one too many. */
  private AcquireSlotResult decided(SlotRequest request, SlotOutcome slotted) {
    BudgetSet set = request.set;
    List<LimitStatus> limits = Statuses.of(set, slotted.standings());
    if (slotted.acquired()) {
      long full = pipeline.localBudgets.untilRoomForStoreSlot(set, slotted.standings());
      if (full > 0) {
        releaser.release(set.domain(), request.id, request.ttl);
        return new AcquireSlotResult(
            "", 0, 0, full, limits, set.policyVersion(), DecidedBy.LOCAL_FALLBACK);
      }
      pipeline.localBudgets.slotGranted(set, request.id, request.ttl);
    }
    return grant(set, request.id, request.ttl, slotted, limits);
  }

  /**
   * The store answered after the caller was. A slot that it gave is the one that the caller was
   * given without it, or else nobody's.
   */
  private void onLateAnswer(SlotRequest request, AcquireSlotResult reply, Outcome late) {
    if (!(late instanceof SlotOutcome slotted) || !slotted.acquired()) {
      return;
    }
    boolean isHeld =
        reply.decidedBy() == DecidedBy.LOCAL_FALLBACK
            ? pipeline.localBudgets.adoptSlot(request.set, request.id, request.ttl)
            : reply.acquired();
    if (!isHeld) {
      releaser.release(request.set.domain(), request.id, request.ttl);
    }
  }

  private static AcquireSlotResult grant(
      BudgetSet set, String slot, long ttl, SlotOutcome slotted, List<LimitStatus> limits) {
    return new AcquireSlotResult(
        slotted.acquired() ? slot : "",
        slotted.token(),
        slotted.acquired() ? ttl : 0,
        slotted.retry(),
        limits,
        set.policyVersion(),
        DecidedBy.STORE);
  }

  /** Without the store. */
  private AcquireSlotResult withoutStore(SlotRequest request, Optional<IdempotencyKey> key) {
    BudgetSet set = request.set;
    String slot = request.id;
    long ttl = request.ttl;
    List<LimitStatus> limits = new ArrayList<>(FailModeDecider.unknownStatuses(set));
    long version = set.policyVersion();
    if (FailModeDecider.isClosed(set)) {
      long retry = pipeline.fallback.retry();
      return new AcquireSlotResult("", 0, 0, retry, limits, version, DecidedBy.CLOSED);
    }
    List<RuleBudget> local =
        set.budgets().subList(0, set.enforced()).stream().filter(FailModeDecider::isLocal).toList();
    if (local.isEmpty()) {
      return new AcquireSlotResult(slot, 0, ttl, 0, limits, version, DecidedBy.OPEN);
    }
    int nodes = pipeline.localBudgets.nodes();
    List<Budget> safe = local.stream().map(each -> each.share(nodes)).toList();
    BudgetRequest acquire = new BudgetRequest(new AcquireSlot(safe, slot, ttl), key);
    Outcome outcome = DecisionPipeline.known(pipeline.localBudgets.apply(set.domain(), acquire));
    if (!(outcome instanceof SlotOutcome slotted)) { // no memory for another slot
      long retry = pipeline.fallback.retry();
      return new AcquireSlotResult("", 0, 0, retry, limits, version, DecidedBy.LOCAL_FALLBACK);
    }
    for (int i = 0; i < safe.size(); i++) {
      RuleBudget each = local.get(i);
      limits.set(
          set.budgets().indexOf(each),
          Statuses.of(each, safe.get(i).limit().size(), slotted.standings().get(i)));
    }
    boolean given = slotted.acquired();
    return new AcquireSlotResult(
        given ? slot : "",
        0,
        given ? ttl : 0,
        slotted.retry(),
        limits,
        version,
        DecidedBy.LOCAL_FALLBACK);
  }

  /**
   * A slot that this node gave by itself is lost when the store is there and knows nothing of it.
   */
  CompletionStage<Boolean> renew(String domain, String slot, long ttl) {
    RenewSlot renewal = new RenewSlot(slot, ttl);
    return held(
        domain,
        slot,
        BudgetRequest.of(renewal),
        isHeld -> {
          if (isHeld) {
            pipeline.localBudgets.slotRenewed(domain, slot, ttl);
          } else {
            pipeline.localBudgets.endSlot(domain, slot);
          }
          return isHeld;
        });
  }

  CompletionStage<Boolean> release(String domain, String slot, Optional<IdempotencyKey> key) {
    BudgetRequest release = new BudgetRequest(new ReleaseSlot(slot), key);
    return held(
        domain, slot, release, isHeld -> pipeline.localBudgets.endSlot(domain, slot) || isHeld);
  }

  /**
   * @param byStore what the store said, to what is answered
   */
  private CompletionStage<Boolean> held(
      String domain, String slot, BudgetRequest request, UnaryOperator<Boolean> byStore) {
    return pipeline
        .send(domain, slot.hashCode(), request)
        .handle(
            (outcome, failure) -> {
              if (failure == null) {
                return byStore.apply(((Held) outcome).held());
              } else if (DecisionPipeline.isStoreUnavailable(failure)
                  && pipeline.localBudgets.applyToOwnSlot(domain, request.operation())) {
                return true;
              }
              throw DecisionPipeline.rethrown(failure);
            });
  }
}
