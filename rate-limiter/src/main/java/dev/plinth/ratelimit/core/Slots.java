package dev.plinth.ratelimit.core;

import dev.plinth.ratelimit.core.Decision.DecidedBy;
import dev.plinth.ratelimit.core.Decision.LimitStatus;
import dev.plinth.ratelimit.core.Operation.AcquireSlot;
import dev.plinth.ratelimit.core.Operation.ReleaseSlot;
import dev.plinth.ratelimit.core.Operation.RenewSlot;
import dev.plinth.ratelimit.core.Outcome.Held;
import dev.plinth.ratelimit.core.Outcome.Slotted;
import dev.plinth.ratelimit.core.Request.Once;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/**
 * Places in concurrency rules. While the store is away the fail modes decide here, too; a place
 * that this node gave by itself has no token, and is lost when the store is back. While a store is
 * slow, what it gives and what this node gives share one budget: each counts the other's.
 */
final class Slots {
  private final Way way;
  private final SlotReturns returns;

  Slots(Way way) {
    this.way = way;
    this.returns = new SlotReturns(way);
  }

  /** Once a second. */
  void upkeep() {
    returns.retry();
  }

  CompletionStage<SlotGrant> acquire(CompiledPolicy policy, SlotGrant.Wish wish) {
    BudgetSet set = policy.slots(wish.descriptors());
    String slot = Tickets.id("s", wish.once());
    if (set.isEmpty()) {
      return CompletableFuture.completedStage(
          new SlotGrant(slot, 0, wish.ttl(), 0, List.of(), policy.version(), DecidedBy.NO_RULE));
    }
    List<Budget> budgets = set.budgets().stream().map(RuleBudget::budget).toList();
    Request request = new Request(new AcquireSlot(budgets, slot, wish.ttl()), wish.once());
    CompletableFuture<SlotGrant> told = new CompletableFuture<>();
    SlotRequest asked = new SlotRequest(set, slot, wish.ttl());
    way.send(set, request, late -> told.thenAccept(grant -> cameLate(asked, grant, late)))
        .handle(
            (outcome, failure) -> {
              if (failure == null) {
                return decided(asked, (Slotted) outcome);
              } else if (Way.isAway(failure)) {
                SlotGrant grant = without(set, slot, wish.ttl());
                if (!grant.acquired() && Way.mayHaveApplied(failure)) {
                  returns.giveBack(set.domain(), slot, wish.ttl());
                }
                return grant;
              }
              throw Way.again(failure);
            })
        .whenComplete(
            (grant, failure) -> {
              if (failure == null) {
                told.complete(grant);
              } else {
                told.completeExceptionally(failure);
              }
            });
    return told;
  }

  /** A slot that is asked for. */
  private record SlotRequest(BudgetSet set, String id, long ttl) {}

  /** With slots that this node gave by itself, the store may have given one too many. */
  private SlotGrant decided(SlotRequest asked, Slotted slotted) {
    BudgetSet set = asked.set;
    List<LimitStatus> limits = Statuses.of(set, slotted.standings());
    if (slotted.acquired()) {
      long full = way.alone().untilRoomForStoreSlot(set, slotted.standings());
      if (full > 0) {
        returns.giveBack(set.domain(), asked.id, asked.ttl);
        return new SlotGrant("", 0, 0, full, limits, set.policyVersion(), DecidedBy.LOCAL_FALLBACK);
      }
      way.alone().slotGranted(set, asked.id, asked.ttl);
    }
    return grant(set, asked.id, asked.ttl, slotted, limits);
  }

  /**
   * The store answered after the caller was. A slot that it gave is the one that the caller was
   * given without it, or else nobody's.
   */
  private void cameLate(SlotRequest asked, SlotGrant told, Outcome late) {
    if (!(late instanceof Slotted slotted) || !slotted.acquired()) {
      return;
    }
    boolean isHeld =
        told.decidedBy() == DecidedBy.LOCAL_FALLBACK
            ? way.alone().adoptSlot(asked.set, asked.id, asked.ttl)
            : told.acquired();
    if (!isHeld) {
      returns.giveBack(asked.set.domain(), asked.id, asked.ttl);
    }
  }

  private static SlotGrant grant(
      BudgetSet set, String slot, long ttl, Slotted slotted, List<LimitStatus> limits) {
    return new SlotGrant(
        slotted.acquired() ? slot : "",
        slotted.token(),
        slotted.acquired() ? ttl : 0,
        slotted.retry(),
        limits,
        set.policyVersion(),
        DecidedBy.STORE);
  }

  /** Without the store. */
  private SlotGrant without(BudgetSet set, String slot, long ttl) {
    List<LimitStatus> limits = new ArrayList<>(Fallback.unknown(set));
    long version = set.policyVersion();
    if (Fallback.isClosed(set)) {
      long retry = way.fallback().retry();
      return new SlotGrant("", 0, 0, retry, limits, version, DecidedBy.CLOSED);
    }
    List<RuleBudget> local =
        set.budgets().subList(0, set.enforced()).stream().filter(Fallback::isLocal).toList();
    if (local.isEmpty()) {
      return new SlotGrant(slot, 0, ttl, 0, limits, version, DecidedBy.OPEN);
    }
    int nodes = way.alone().nodes();
    List<Budget> safe = local.stream().map(each -> each.share(nodes)).toList();
    Outcome outcome = way.alone().apply(set.domain(), Request.of(new AcquireSlot(safe, slot, ttl)));
    if (!(outcome instanceof Slotted slotted)) { // no memory for another slot
      long retry = way.fallback().retry();
      return new SlotGrant("", 0, 0, retry, limits, version, DecidedBy.LOCAL_FALLBACK);
    }
    for (int i = 0; i < safe.size(); i++) {
      RuleBudget each = local.get(i);
      limits.set(
          set.budgets().indexOf(each),
          Statuses.of(each, safe.get(i).limit().size(), slotted.standings().get(i)));
    }
    boolean given = slotted.acquired();
    return new SlotGrant(
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
        Request.of(renewal),
        isHeld -> {
          if (isHeld) {
            way.alone().slotRenewed(domain, slot, ttl);
          } else {
            way.alone().endSlot(domain, slot);
          }
          return isHeld;
        });
  }

  CompletionStage<Boolean> release(String domain, String slot, Optional<Once> once) {
    Request release = new Request(new ReleaseSlot(slot), once);
    return held(domain, slot, release, isHeld -> way.alone().endSlot(domain, slot) || isHeld);
  }

  /**
   * @param byStore what the store said, to what is answered
   */
  private CompletionStage<Boolean> held(
      String domain, String slot, Request request, UnaryOperator<Boolean> byStore) {
    return way.send(domain, slot.hashCode(), request)
        .handle(
            (outcome, failure) -> {
              if (failure == null) {
                return byStore.apply(((Held) outcome).held());
              } else if (Way.isAway(failure)
                  && way.alone().applyToOwnSlot(domain, request.operation())) {
                return true;
              }
              throw Way.again(failure);
            });
  }
}
