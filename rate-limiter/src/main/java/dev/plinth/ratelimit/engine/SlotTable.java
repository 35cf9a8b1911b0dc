package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.Budget;
import dev.plinth.ratelimit.store.Operation.AcquireSlot;
import dev.plinth.ratelimit.store.Outcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/** The slots of a domain, by id and by concurrency limit. */
final class SlotTable {
  private record SlotExpiry(long until, String slot) {}

  private static final TreeSet<SlotExpiry> NONE = expiries();

  private final RowTable<SlotRow> slots;
  private final Map<String, TreeSet<SlotExpiry>> byBudget = new HashMap<>();
  private final LongSupplier tokens;

  SlotTable(RowTable<SlotRow> slots, LongSupplier tokens) {
    this.slots = slots;
    this.tokens = tokens;
  }

  Outcome acquire(AcquireSlot request, long now) {
    List<Budget> budgets = request.budgets();
    budgets.forEach(budget -> dropExpired(budget.key(), now));
    SlotRow held = slots.get(request.slot());
    if (held != null && !held.isExpired(now)) {
      return isIn(held, budgets) ? renewed(request, held, now) : new Outcome.Reused();
    }
    List<Budget> full = budgets.stream().filter(budget -> !hasRoom(budget)).toList();
    if (full.stream().anyMatch(budget -> !budget.shadow())) {
      List<Budget> denying = full.stream().filter(budget -> !budget.shadow()).toList();
      return new Outcome.SlotOutcome(
          false, 0, retry(denying, now), standings(budgets, denying, now));
    }
    remove(request.slot());
    List<String> keys = new ArrayList<>();
    for (Budget budget : budgets) {
      if (!full.contains(budget)) {
        keys.add(budget.key());
      }
    }
    long token = tokens.getAsLong();
    put(request.slot(), new SlotRow(token, now + request.ttl(), keys));
    return new Outcome.SlotOutcome(true, token, 0, standings(budgets, full, now));
  }

  /**
   * The same request again, which was given the slot of this token: the slot renewed, or none if it
   * is over. It is not given anew: its holder may have released it.
   */
  Outcome acquireAgain(AcquireSlot request, long token, long now) {
    request.budgets().forEach(budget -> dropExpired(budget.key(), now));
    SlotRow held = slots.get(request.slot());
    return held != null && !held.isExpired(now) && held.token() == token
        ? renewed(request, held, now)
        : new Outcome.SlotOutcome(false, 0, 0, standings(request.budgets(), List.of(), now));
  }

  private Outcome renewed(AcquireSlot request, SlotRow held, long now) {
    extend(request.slot(), held, now + request.ttl());
    return new Outcome.SlotOutcome(
        true, held.token(), 0, standings(request.budgets(), List.of(), now));
  }

  /** A shadow that was full has no place of the slot. */
  private static boolean isIn(SlotRow held, List<Budget> budgets) {
    return budgets.stream().allMatch(b -> b.shadow() || held.budgets().contains(b.key()));
  }

  /** Adds a slot whether there is room or not: it was granted elsewhere and counts here, too. */
  void hold(List<Budget> budgets, String slot, long until) {
    remove(slot);
    put(slot, new SlotRow(0, until, budgets.stream().map(Budget::key).toList()));
  }

  /** When the slots in a budget run out that {@code counted} accepts, earliest first. */
  List<Long> ends(String budget, Predicate<String> counted, long now) {
    dropExpired(budget, now);
    return expiriesOf(budget).stream()
        .filter(expiry -> counted.test(expiry.slot))
        .map(SlotExpiry::until)
        .toList();
  }

  boolean renew(String slot, long ttl, long now) {
    SlotRow held = slots.get(slot);
    if (held == null || held.isExpired(now)) {
      return false;
    }
    extend(slot, held, now + ttl);
    return true;
  }

  boolean release(String slot, long now) {
    SlotRow held = slots.get(slot);
    remove(slot);
    return held != null && !held.isExpired(now);
  }

  /** Ends every slot of a budget, in all of the slot's budgets. */
  void clear(String budget) {
    for (SlotExpiry expiry : List.copyOf(expiriesOf(budget))) {
      remove(expiry.slot);
    }
  }

  void restore(String slot, SlotRow row) {
    slots.restore(slot, row);
    addExpiries(slot, row);
  }

  void sweep(int few, long now) {
    slots.sweep(few, now, this::removeExpiries);
  }

  Outcome.Standing standing(Budget budget, boolean over, long now) {
    dropExpired(budget.key(), now);
    TreeSet<SlotExpiry> expiries = expiriesOf(budget.key());
    long reset = expiries.isEmpty() ? 0 : expiries.last().until - now;
    return new Outcome.Standing(budget.limit().size() - expiries.size(), reset, over, 0);
  }

  private List<Outcome.Standing> standings(List<Budget> budgets, List<Budget> over, long now) {
    return budgets.stream().map(b -> standing(b, over.contains(b), now)).toList();
  }

  private boolean hasRoom(Budget budget) {
    return expiriesOf(budget.key()).size() < ((Limit.Concurrency) budget.limit()).limit();
  }

  /** Until so many have run out that each of these has room; more than one if it was lowered. */
  private long retry(List<Budget> full, long now) {
    long longest = 0;
    for (Budget budget : full) {
      TreeSet<SlotExpiry> expiries = expiriesOf(budget.key());
      long tooMany = expiries.size() - budget.limit().size();
      long first = expiries.stream().skip(tooMany).findFirst().orElseThrow().until;
      longest = Math.max(longest, first - now);
    }
    return longest;
  }

  /** Drops expired slots, and shortens those that a clock step back has made too long. */
  private void dropExpired(String budget, long now) {
    TreeSet<SlotExpiry> expiries = expiriesOf(budget);
    while (!expiries.isEmpty() && expiries.first().until <= now) {
      remove(expiries.first().slot);
    }
    while (!expiries.isEmpty() && expiries.last().until > now + Limit.HOUR) {
      String slot = expiries.last().slot;
      extend(slot, slots.get(slot), now + Limit.HOUR);
    }
  }

  private void extend(String slot, SlotRow row, long until) {
    removeExpiries(slot, row);
    put(slot, row.until(until));
  }

  private void put(String slot, SlotRow row) {
    slots.put(slot, row);
    addExpiries(slot, row);
  }

  private void remove(String slot) {
    SlotRow row = slots.get(slot);
    if (row != null) {
      slots.remove(slot);
      removeExpiries(slot, row);
    }
  }

  private void addExpiries(String slot, SlotRow row) {
    for (String budget : row.budgets()) {
      byBudget.computeIfAbsent(budget, key -> expiries()).add(new SlotExpiry(row.until(), slot));
    }
  }

  private void removeExpiries(String slot, SlotRow row) {
    for (String budget : row.budgets()) {
      TreeSet<SlotExpiry> expiries = expiriesOf(budget);
      expiries.remove(new SlotExpiry(row.until(), slot));
      if (expiries.isEmpty()) {
        byBudget.remove(budget);
      }
    }
  }

  private TreeSet<SlotExpiry> expiriesOf(String budget) {
    return byBudget.getOrDefault(budget, NONE);
  }

  private static TreeSet<SlotExpiry> expiries() {
    return new TreeSet<>(
        Comparator.comparingLong(SlotExpiry::until).thenComparing(SlotExpiry::slot));
  }
}
