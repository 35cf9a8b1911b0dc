package dev.plinth.ratelimit.core;

import dev.plinth.ratelimit.core.Operation.AcquireSlot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/** The slots of a domain, and the places they take in its concurrency limits. */
final class Places {
  private record Seat(long until, String slot) {}

  private static final TreeSet<Seat> NONE = seats();

  private final Rows<Place> slots;
  private final Map<String, TreeSet<Seat>> taken = new HashMap<>();
  private final LongSupplier tokens;

  Places(Rows<Place> slots, LongSupplier tokens) {
    this.slots = slots;
    this.tokens = tokens;
  }

  Outcome acquire(AcquireSlot request, long now) {
    List<Budget> budgets = request.budgets();
    budgets.forEach(budget -> tidy(budget.key(), now));
    Place mine = slots.get(request.slot());
    if (mine != null && !mine.isOver(now)) {
      move(request.slot(), mine, now + request.ttl());
      return new Outcome.Slotted(true, mine.token(), 0, standings(budgets, List.of(), now));
    }
    List<Budget> full = budgets.stream().filter(budget -> !hasRoom(budget)).toList();
    if (full.stream().anyMatch(budget -> !budget.shadow())) {
      List<Budget> denying = full.stream().filter(budget -> !budget.shadow()).toList();
      return new Outcome.Slotted(false, 0, retry(denying, now), standings(budgets, denying, now));
    }
    remove(request.slot());
    List<String> keys = new ArrayList<>();
    for (Budget budget : budgets) {
      if (!full.contains(budget)) {
        keys.add(budget.key());
      }
    }
    long token = tokens.getAsLong();
    put(request.slot(), new Place(token, now + request.ttl(), keys));
    return new Outcome.Slotted(true, token, 0, standings(budgets, full, now));
  }

  /** Takes a place without asking for room: whoever decided that counts here, too. */
  void hold(List<Budget> budgets, String slot, long until) {
    remove(slot);
    put(slot, new Place(0, until, budgets.stream().map(Budget::key).toList()));
  }

  /** When the slots in a budget run out that {@code counted} accepts, earliest first. */
  List<Long> ends(String budget, Predicate<String> counted, long now) {
    tidy(budget, now);
    return seatsOf(budget).stream()
        .filter(seat -> counted.test(seat.slot))
        .map(Seat::until)
        .toList();
  }

  boolean renew(String slot, long ttl, long now) {
    Place mine = slots.get(slot);
    if (mine == null || mine.isOver(now)) {
      return false;
    }
    move(slot, mine, now + ttl);
    return true;
  }

  boolean release(String slot, long now) {
    Place mine = slots.get(slot);
    remove(slot);
    return mine != null && !mine.isOver(now);
  }

  /** Ends every slot that has a place in a budget: a slot is a place in all of its budgets. */
  void clear(String budget) {
    for (Seat seat : List.copyOf(seatsOf(budget))) {
      remove(seat.slot);
    }
  }

  void restore(String slot, Place place) {
    slots.restore(slot, place);
    sit(slot, place);
  }

  void sweep(int few, long now) {
    slots.sweep(few, now, this::stand);
  }

  Outcome.Standing standing(Budget budget, boolean over, long now) {
    tidy(budget.key(), now);
    TreeSet<Seat> seats = seatsOf(budget.key());
    long reset = seats.isEmpty() ? 0 : seats.last().until - now;
    return new Outcome.Standing(budget.limit().size() - seats.size(), reset, over, 0);
  }

  private List<Outcome.Standing> standings(List<Budget> budgets, List<Budget> over, long now) {
    return budgets.stream().map(b -> standing(b, over.contains(b), now)).toList();
  }

  private boolean hasRoom(Budget budget) {
    return seatsOf(budget.key()).size() < ((Limit.Concurrency) budget.limit()).limit();
  }

  /** Until so many have run out that each of these has room; more than one if it was lowered. */
  private long retry(List<Budget> full, long now) {
    long longest = 0;
    for (Budget budget : full) {
      TreeSet<Seat> seats = seatsOf(budget.key());
      long tooMany = seats.size() - budget.limit().size();
      long first = seats.stream().skip(tooMany).findFirst().orElseThrow().until;
      longest = Math.max(longest, first - now);
    }
    return longest;
  }

  /** Drops what ran out; and no slot reaches further than the longest, if the clock went back. */
  private void tidy(String budget, long now) {
    TreeSet<Seat> seats = seatsOf(budget);
    while (!seats.isEmpty() && seats.first().until <= now) {
      remove(seats.first().slot);
    }
    while (!seats.isEmpty() && seats.last().until > now + Limit.HOUR) {
      String slot = seats.last().slot;
      move(slot, slots.get(slot), now + Limit.HOUR);
    }
  }

  private void move(String slot, Place place, long until) {
    stand(slot, place);
    put(slot, place.until(until));
  }

  private void put(String slot, Place place) {
    slots.put(slot, place);
    sit(slot, place);
  }

  private void remove(String slot) {
    Place place = slots.get(slot);
    if (place != null) {
      slots.remove(slot);
      stand(slot, place);
    }
  }

  private void sit(String slot, Place place) {
    for (String budget : place.budgets()) {
      taken.computeIfAbsent(budget, key -> seats()).add(new Seat(place.until(), slot));
    }
  }

  private void stand(String slot, Place place) {
    for (String budget : place.budgets()) {
      TreeSet<Seat> seats = seatsOf(budget);
      seats.remove(new Seat(place.until(), slot));
      if (seats.isEmpty()) {
        taken.remove(budget);
      }
    }
  }

  private TreeSet<Seat> seatsOf(String budget) {
    return taken.getOrDefault(budget, NONE);
  }

  private static TreeSet<Seat> seats() {
    return new TreeSet<>(Comparator.comparingLong(Seat::until).thenComparing(Seat::slot));
  }
}
