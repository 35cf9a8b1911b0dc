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

/**
 * Places in concurrency rules. While the store is away the fail modes decide here, too; a place
 * that this node gave by itself has no token, and is lost when the store is back.
 */
final class Slots {
  private final Way way;

  Slots(Way way) {
    this.way = way;
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
    return way.send(set, request)
        .handle(
            (outcome, failure) -> {
              if (failure == null) {
                List<LimitStatus> limits = Statuses.of(set, ((Slotted) outcome).standings());
                return grant(set, slot, wish.ttl(), (Slotted) outcome, limits);
              } else if (Way.isAway(failure)) {
                return without(set, slot, wish.ttl());
              }
              throw Way.again(failure);
            });
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

  CompletionStage<Boolean> renew(String domain, String slot, long ttl) {
    return held(domain, slot, Request.of(new RenewSlot(slot, ttl)));
  }

  CompletionStage<Boolean> release(String domain, String slot, Optional<Once> once) {
    return held(domain, slot, new Request(new ReleaseSlot(slot), once));
  }

  private CompletionStage<Boolean> held(String domain, String slot, Request request) {
    return way.send(domain, slot.hashCode(), request)
        .handle(
            (outcome, failure) -> {
              if (failure == null) {
                return ((Held) outcome).held();
              } else if (Way.isAway(failure) && isHeldAlone(domain, request)) {
                return true;
              }
              throw Way.again(failure);
            });
  }

  private boolean isHeldAlone(String domain, Request request) {
    return way.alone().isInUse()
        && way.alone().apply(domain, Request.of(request.operation())) instanceof Held here
        && here.held();
  }
}
