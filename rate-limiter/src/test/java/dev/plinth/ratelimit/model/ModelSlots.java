package dev.plinth.ratelimit.model;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.Budget;
import dev.plinth.ratelimit.store.Operation;
import dev.plinth.ratelimit.store.Outcome;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Slots as one list that is searched. */
final class ModelSlots {
  private record Slot(long token, long until, Set<String> budgets) {}

  private final Map<String, Slot> slots = new HashMap<>();
  private long token;

  /** Drops what ran out; its name, and the budgets that it had a place in. */
  Set<String> forget(long now) {
    Set<String> gone = new HashSet<>();
    slots.forEach(
        (name, slot) -> {
          if (slot.until <= now) {
            gone.add(name);
            gone.addAll(slot.budgets);
          }
        });
    slots.keySet().removeAll(gone);
    return gone;
  }

  Outcome apply(Operation operation, long now) {
    if (operation instanceof Operation.AcquireSlot acquire) {
      return acquire(acquire, now);
    } else if (operation instanceof Operation.RenewSlot renew) {
      return new Outcome.Held(renew(renew.slot(), now, now + renew.ttl()));
    }
    Slot released = slots.remove(((Operation.ReleaseSlot) operation).slot());
    return new Outcome.Held(released != null && now < released.until);
  }

  private boolean renew(String name, long now, long until) {
    Slot slot = slots.get(name);
    if (slot == null || slot.until <= now) {
      return false;
    }
    slots.put(name, new Slot(slot.token, until, slot.budgets));
    return true;
  }

  private Outcome acquire(Operation.AcquireSlot acquire, long now) {
    List<Budget> budgets = acquire.budgets();
    budgets.forEach(budget -> shorten(budget, now));
    Slot mine = slots.get(acquire.slot());
    if (mine != null && mine.until > now) {
      Set<String> enforced =
          budgets.stream().filter(b -> !b.shadow()).map(Budget::key).collect(Collectors.toSet());
      return mine.budgets.containsAll(enforced)
          ? again(acquire, mine.token, now)
          : new Outcome.Reused();
    }
    Set<Budget> full =
        budgets.stream()
            .filter(budget -> untils(budget, now).size() >= budget.limit().size())
            .collect(Collectors.toSet());
    Set<Budget> denying =
        full.stream().filter(budget -> !budget.shadow()).collect(Collectors.toSet());
    if (!denying.isEmpty()) {
      long free = denying.stream().mapToLong(budget -> roomAt(budget, now)).max().orElseThrow();
      return new Outcome.SlotOutcome(false, 0, free - now, standings(budgets, denying, now));
    }
    token++;
    Set<String> keys =
        budgets.stream()
            .filter(budget -> !full.contains(budget))
            .map(Budget::key)
            .collect(Collectors.toSet());
    slots.put(acquire.slot(), new Slot(token, now + acquire.ttl(), keys));
    return new Outcome.SlotOutcome(true, token, 0, standings(budgets, full, now));
  }

  /** The slot of that token, renewed if it is held. */
  Outcome again(Operation.AcquireSlot acquire, long mine, long now) {
    acquire.budgets().forEach(budget -> shorten(budget, now));
    Slot slot = slots.get(acquire.slot());
    boolean isMine = slot != null && slot.token == mine;
    boolean held = isMine && renew(acquire.slot(), now, now + acquire.ttl());
    return new Outcome.SlotOutcome(
        held, held ? mine : 0, 0, standings(acquire.budgets(), Set.of(), now));
  }

  /** When each slot that holds a place in a budget runs out, soonest first. */
  private List<Long> untils(Budget budget, long now) {
    return slots.values().stream()
        .filter(slot -> slot.budgets.contains(budget.key()) && slot.until > now)
        .map(Slot::until)
        .sorted()
        .toList();
  }

  private long roomAt(Budget budget, long now) {
    List<Long> untils = untils(budget, now);
    return untils.get(untils.size() - (int) budget.limit().size());
  }

  /** No slot reaches further ahead than an hour, wherever the clock went. */
  private void shorten(Budget budget, long now) {
    slots.replaceAll(
        (name, slot) ->
            slot.budgets.contains(budget.key())
                ? new Slot(slot.token, Math.min(slot.until, now + Limit.HOUR), slot.budgets)
                : slot);
  }

  Outcome.Standing reset(Budget budget, long now) {
    slots.values().removeIf(slot -> slot.budgets.contains(budget.key()));
    return standing(budget, false, now);
  }

  private List<Outcome.Standing> standings(List<Budget> budgets, Set<Budget> over, long now) {
    return budgets.stream().map(b -> standing(b, over.contains(b), now)).toList();
  }

  private Outcome.Standing standing(Budget budget, boolean over, long now) {
    List<Long> untils = untils(budget, now);
    long reset = untils.isEmpty() ? 0 : untils.get(untils.size() - 1) - now;
    return new Outcome.Standing(budget.limit().size() - untils.size(), reset, over, 0);
  }
}
