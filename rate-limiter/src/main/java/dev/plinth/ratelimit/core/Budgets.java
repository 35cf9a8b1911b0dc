package dev.plinth.ratelimit.core;

import dev.plinth.ratelimit.core.Operation.AcquireSlot;
import dev.plinth.ratelimit.core.Operation.GiveBack;
import dev.plinth.ratelimit.core.Operation.ReleaseSlot;
import dev.plinth.ratelimit.core.Operation.RenewSlot;
import dev.plinth.ratelimit.core.Operation.Reset;
import dev.plinth.ratelimit.core.Operation.Settle;
import dev.plinth.ratelimit.core.Operation.Take;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * The budgets of one domain in memory, as {@link BudgetStore} promises them: requests are applied
 * one after the other at a time that the caller gives. Not for several threads at once. What is
 * over is dropped little by little with each call, so that memory follows use.
 */
public final class Budgets {
  /** What a row is about; {@code letter} names it where rows are stored. */
  public enum Kind {
    STATE('b'),
    TICKET('t'),
    REQUEST('r'),
    SLOT('s'),
    RESET('x');

    private final char letter;

    Kind(char letter) {
      this.letter = letter;
    }

    public char letter() {
      return letter;
    }

    public static Kind of(char letter) {
      return Arrays.stream(values())
          .filter(kind -> kind.letter == letter)
          .findFirst()
          .orElseThrow(
              () -> new IllegalArgumentException(letter + " (expected: one of b, t, r, s, x)"));
    }
  }

  /** A row that is other than it was; its text can be made later and by another thread. */
  public static final class Change {
    private final Kind kind;
    private final String key;
    private final Kept value;

    Change(Kind kind, String key, Kept value) {
      this.kind = kind;
      this.key = key;
      this.value = value;
    }

    public Kind kind() {
      return kind;
    }

    public String key() {
      return key;
    }

    public boolean isRemoval() {
      return value == null;
    }

    public String text() {
      return value.text();
    }
  }

  private static final int SWEPT_PER_REQUEST = 2;
  private static final int SWEPT_WHEN_FULL = 64;

  private final RowMemory.OfDomain memory;
  private final Rows<State> states;
  private final Rows<Noted> tickets;
  private final Rows<Remembered> requests;
  private final Rows<Place> slots;
  private final Rows<ResetMark> resets;
  private final Places places;

  /** For one process, forgotten with it. */
  public Budgets() {
    this(new RowMemory(Long.MAX_VALUE));
  }

  Budgets(RowMemory memory) {
    this(false, counter(), memory);
  }

  private Budgets(boolean isTracked, LongSupplier tokens, RowMemory all) {
    this.memory = all.ofDomain();
    this.states = Rows.of(isTracked, memory);
    this.tickets = Rows.of(isTracked, memory);
    this.requests = Rows.of(isTracked, memory);
    this.slots = Rows.of(isTracked, memory);
    this.resets = Rows.of(isTracked, memory);
    this.places = new Places(slots, tokens);
  }

  /**
   * That notes what changes, for {@link #snapshot}.
   *
   * @param tokens the next token of a slot, above all before it; what it throws, {@link #apply}
   *     throws
   */
  public static Budgets tracked(LongSupplier tokens, RowMemory memory) {
    return new Budgets(true, tokens, memory);
  }

  /** The same without the notes. */
  public static Budgets untracked(LongSupplier tokens, RowMemory memory) {
    return new Budgets(false, tokens, memory);
  }

  private static LongSupplier counter() {
    AtomicLong last = new AtomicLong();
    return last::incrementAndGet;
  }

  /** Applies requests in order, all at one time; their outcomes are in the same order. */
  public List<Outcome> apply(List<Request> batch, long nowMicros) {
    List<Outcome> outcomes = new ArrayList<>(batch.size());
    for (Request request : batch) {
      outcomes.add(decided(request, nowMicros));
      sweep(SWEPT_PER_REQUEST, nowMicros);
    }
    return outcomes;
  }

  /** What fails for one request must not fail those of the batch that were applied before it. */
  private Outcome decided(Request request, long now) {
    if (memory.isFull() && needsRow(request)) {
      sweep(SWEPT_WHEN_FULL, now);
      if (memory.isFull()) {
        return new Outcome.Undecided(
            "live budgets fill the memory that the domain may have", false);
      }
    }
    try {
      return request.once().isPresent()
          ? once(request.operation(), request.once().get(), now)
          : apply(request.operation(), now);
    } catch (RuntimeException e) {
      return new Outcome.Undecided(e.toString(), true);
    }
  }

  private boolean needsRow(Request request) {
    if (isFreeing(request.operation()) || isRemembered(request)) {
      return false;
    }
    if (request.once().isPresent()
        || request.operation() instanceof AcquireSlot
        || request.operation() instanceof Reset) {
      return true;
    }
    return request.operation() instanceof Take take
        && (take.ticket().isPresent()
            || take.charges().stream()
                .anyMatch(c -> c.cost() > 0 && states.row(c.budget().key()) == null));
  }

  /** These end rows: refused for want of memory, they would keep it full. */
  private static boolean isFreeing(Operation operation) {
    return operation instanceof Settle
        || operation instanceof GiveBack
        || operation instanceof ReleaseSlot;
  }

  private boolean isRemembered(Request request) {
    return request.once().filter(once -> requests.row(once.id()) != null).isPresent();
  }

  /**
   * Charges what was admitted elsewhere, without asking. Debt stops at the budget's size, so that
   * it is refilled no later than after two times empty.
   */
  void charge(Budget budget, long amount, long nowMicros) {
    Draft draft = new Draft(states, budget, nowMicros);
    long units = Math.min(amount, draft.debtRoom(amount));
    boolean room = states.row(budget.key()) != null || !memory.isFull();
    if (units > 0 && room && !draft.isStale()) {
      draft.charge(units);
      draft.write();
    }
    sweep(SWEPT_PER_REQUEST, nowMicros);
  }

  /** Notes a slot that was given elsewhere, whether there is room for it or not. */
  void hold(List<Budget> budgets, String slot, long ttl, long nowMicros) {
    if (!memory.isFull()) {
      places.hold(budgets, slot, nowMicros + ttl);
    }
    sweep(SWEPT_PER_REQUEST, nowMicros);
  }

  /** When the slots in a budget run out that {@code counted} accepts, earliest first. */
  List<Long> slotEnds(Budget budget, Predicate<String> counted, long nowMicros) {
    return places.ends(budget.key(), counted, nowMicros);
  }

  private Outcome once(Operation operation, Request.Once once, long now) {
    Remembered before = requests.get(once.id());
    if (before != null && !before.isOver(now)) {
      return before.fingerprint().equals(once.fingerprint())
          ? before.outcome()
          : new Outcome.Reused();
    }
    Outcome outcome = apply(operation, now);
    if (!(outcome instanceof Outcome.Stale)) { // nothing was done: it may be asked again
      requests.put(
          once.id(), new Remembered(once.fingerprint(), outcome, now + Request.Once.REMEMBERED));
    }
    return outcome;
  }

  private Outcome apply(Operation operation, long now) {
    if (operation instanceof Take take) {
      return take(take, now);
    } else if (operation instanceof Settle settle) {
      return settle(settle.ticket(), noted -> settle.actual(), now);
    } else if (operation instanceof GiveBack rest) {
      return settle(rest.ticket(), noted -> Math.max(0, noted.granted() - rest.unused()), now);
    } else if (operation instanceof Reset reset) {
      return reset(reset, now);
    } else if (operation instanceof AcquireSlot acquire) {
      return places.acquire(acquire, now);
    } else if (operation instanceof RenewSlot renew) {
      return new Outcome.Held(places.renew(renew.slot(), renew.ttl(), now));
    }
    return new Outcome.Held(places.release(((ReleaseSlot) operation).slot(), now));
  }

  private Outcome take(Take take, long now) {
    Taking taking = new Taking(take, states, places, now);
    Outcome outcome = taking.decide();
    if (take.ticket().isPresent()) {
      Noted noted = taking.noted(take.ticket().get().ttl());
      if (noted != null) {
        tickets.put(take.ticket().get().id(), noted);
      }
    }
    return outcome;
  }

  private Outcome settle(String ticket, ToLongFunction<Noted> actual, long now) {
    Noted noted = tickets.get(ticket);
    tickets.remove(ticket);
    if (noted == null || noted.isOver(now)) {
      return new Outcome.Settled(false, 0);
    }
    return new Settling(states, resets, noted, now).settle(actual.applyAsLong(noted));
  }

  private Outcome reset(Reset reset, long now) {
    List<Draft> drafts = new ArrayList<>();
    for (Budget budget : reset.budgets()) {
      boolean isSlots = budget.limit() instanceof Limit.Concurrency;
      Draft draft = isSlots ? null : new Draft(states, budget, now);
      if (draft != null && draft.isStale()) {
        return new Outcome.Stale(draft.version());
      }
      drafts.add(draft);
    }
    List<Outcome.Standing> standings = new ArrayList<>();
    for (int i = 0; i < drafts.size(); i++) {
      Budget budget = reset.budgets().get(i);
      if (drafts.get(i) == null) {
        places.clear(budget.key());
        standings.add(places.standing(budget, false, now));
      } else {
        drafts.get(i).reset();
        markReset(budget.key(), now);
        standings.add(drafts.get(i).standing());
      }
    }
    return new Outcome.Done(standings);
  }

  /** After a step back of the clock there may be tickets of times before the mark that is there. */
  private void markReset(String key, long now) {
    ResetMark before = resets.get(key);
    resets.put(key, new ResetMark(before == null ? now : Math.max(now, before.at())));
  }

  /** Looks at the next few rows of each kind and drops those that are over. */
  public void sweep(int few, long nowMicros) {
    states.sweep(few, nowMicros, (key, gone) -> {});
    tickets.sweep(few, nowMicros, (key, gone) -> {});
    requests.sweep(few, nowMicros, (key, gone) -> {});
    resets.sweep(few, nowMicros, (key, gone) -> {});
    places.sweep(few, nowMicros);
  }

  /** How many rows there are. */
  public int size() {
    return states.size() + tickets.size() + requests.size() + slots.size() + resets.size();
  }

  /**
   * What changed since the last call, as it is now. One that was begun before must have been read
   * to its end.
   *
   * @throws IllegalStateException if changes are not tracked
   */
  public BudgetsSnapshot snapshot() {
    return new BudgetsSnapshot()
        .and(Kind.RESET, resets)
        .and(Kind.STATE, states)
        .and(Kind.TICKET, tickets)
        .and(Kind.REQUEST, requests)
        .and(Kind.SLOT, slots);
  }

  /**
   * Puts back a row that was written down; before the first request.
   *
   * @throws IllegalArgumentException if the text is not one that a {@link Change} has made
   */
  public void restore(Kind kind, String key, String text) {
    switch (kind) {
      case STATE -> states.restore(key, StateText.parse(text));
      case TICKET -> tickets.restore(key, Noted.parse(text));
      case REQUEST -> requests.restore(key, Remembered.parse(text));
      case SLOT -> places.restore(key, Place.parse(text));
      case RESET -> resets.restore(key, ResetMark.parse(text));
    }
  }
}
