package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.Budget;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.Operation;
import dev.plinth.ratelimit.store.Operation.AcquireSlot;
import dev.plinth.ratelimit.store.Operation.ReleaseSlot;
import dev.plinth.ratelimit.store.Operation.RenewSlot;
import dev.plinth.ratelimit.store.Operation.Reset;
import dev.plinth.ratelimit.store.Operation.ReturnUnused;
import dev.plinth.ratelimit.store.Operation.Settle;
import dev.plinth.ratelimit.store.Operation.Take;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.ratelimit.store.RowMemory;
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
    private final BudgetRow value;

    Change(Kind kind, String key, BudgetRow value) {
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

  private static final int SWEEP_PER_REQUEST = 2;
  private static final int SWEEP_WHEN_FULL = 64;

  private final RowMemory.DomainShare memory;
  private final RowTable<BudgetState> states;
  private final RowTable<TicketRow> tickets;
  private final RowTable<RequestOutcomeRow> requests;
  private final RowTable<SlotRow> slots;
  private final RowTable<ResetRow> resets;
  private final SlotTable slotTable;

  /** For one process, forgotten with it. */
  public Budgets() {
    this(new RowMemory(Long.MAX_VALUE));
  }

  public Budgets(RowMemory memory) {
    this(false, new AtomicLong()::incrementAndGet, memory);
  }

  private Budgets(boolean isTracked, LongSupplier tokens, RowMemory all) {
    this.memory = all.ofDomain();
    this.states = RowTable.of(isTracked, memory);
    this.tickets = RowTable.of(isTracked, memory);
    this.requests = RowTable.of(isTracked, memory);
    this.slots = RowTable.of(isTracked, memory);
    this.resets = RowTable.of(isTracked, memory);
    this.slotTable = new SlotTable(slots, tokens);
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

  /** Applies requests in order, all at one time; their outcomes are in the same order. */
  public List<Outcome> apply(List<BudgetRequest> batch, long nowMicros) {
    List<Outcome> outcomes = new ArrayList<>(batch.size());
    for (BudgetRequest request : batch) {
      outcomes.add(decide(request, nowMicros));
      sweep(SWEEP_PER_REQUEST, nowMicros);
    }
    return outcomes;
  }

  /** What fails for one request must not fail those of the batch that were applied before it. */
  private Outcome decide(BudgetRequest request, long now) {
    if (memory.isFull() && needsRow(request)) {
      sweep(SWEEP_WHEN_FULL, now);
      if (memory.isFull()) {
        return new Outcome.Undecided(
            "live budgets fill the memory that the domain may have", false);
      }
    }
    try {
      return request.idempotencyKey().isPresent()
          ? applyOnce(request.operation(), request.idempotencyKey().get(), now)
          : apply(request.operation(), now);
    } catch (RuntimeException e) {
      return new Outcome.Undecided(e.toString(), true);
    }
  }

  private boolean needsRow(BudgetRequest request) {
    if (isFreeing(request.operation()) || isRemembered(request)) {
      return false;
    }
    if (request.idempotencyKey().isPresent()
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
        || operation instanceof ReturnUnused
        || operation instanceof ReleaseSlot;
  }

  private boolean isRemembered(BudgetRequest request) {
    return request.idempotencyKey().filter(key -> requests.row(key.id()) != null).isPresent();
  }

  /**
   * Charges unconditionally what was admitted elsewhere. Debt stops at the budget's size, so that
   * it is refilled no later than after two times empty.
   */
  public void charge(Budget budget, long amount, long nowMicros) {
    BudgetDraft draft = new BudgetDraft(states, budget, nowMicros);
    long units = Math.min(amount, draft.debtRoom(amount));
    boolean room = states.row(budget.key()) != null || !memory.isFull();
    if (units > 0 && room && !draft.isStale()) {
      draft.charge(units);
      draft.write();
    }
    sweep(SWEEP_PER_REQUEST, nowMicros);
  }

  /** Notes a slot that was given elsewhere, whether there is room for it or not. */
  public void hold(List<Budget> budgets, String slot, long ttl, long nowMicros) {
    if (!memory.isFull()) {
      slotTable.hold(budgets, slot, nowMicros + ttl);
    }
    sweep(SWEEP_PER_REQUEST, nowMicros);
  }

  /** When the slots in a budget run out that {@code counted} accepts, earliest first. */
  public List<Long> slotEnds(Budget budget, Predicate<String> counted, long nowMicros) {
    return slotTable.ends(budget.key(), counted, nowMicros);
  }

  private Outcome applyOnce(Operation operation, BudgetRequest.IdempotencyKey key, long now) {
    RequestOutcomeRow before = requests.get(key.id());
    if (before != null && !before.isExpired(now)) {
      return before.fingerprint().equals(key.fingerprint())
          ? again(operation, before.outcome(), now)
          : new Outcome.Reused();
    }
    Outcome outcome = apply(operation, now);
    if (!isNothingDone(outcome)) {
      requests.put(
          key.id(),
          new RequestOutcomeRow(
              key.fingerprint(), outcome, now + BudgetRequest.IdempotencyKey.RETENTION));
    }
    return outcome;
  }

  /** A slot may be over by now, or nearly. */
  private Outcome again(Operation operation, Outcome before, long now) {
    return operation instanceof AcquireSlot acquire
            && before instanceof Outcome.SlotOutcome slotted
            && slotted.acquired()
        ? slotTable.acquireAgain(acquire, slotted.token(), now)
        : before;
  }

  /** It may be retried, then. */
  private static boolean isNothingDone(Outcome outcome) {
    return outcome instanceof Outcome.Stale || outcome instanceof Outcome.Reused;
  }

  private Outcome apply(Operation operation, long now) {
    if (operation instanceof Take take) {
      return take(take, now);
    } else if (operation instanceof Settle settle) {
      return settle(settle.ticket(), row -> settle.actual(), now);
    } else if (operation instanceof ReturnUnused unspent) {
      return settle(unspent.ticket(), row -> Math.max(0, row.granted() - unspent.unused()), now);
    } else if (operation instanceof Reset reset) {
      return reset(reset, now);
    } else if (operation instanceof AcquireSlot acquire) {
      return slotTable.acquire(acquire, now);
    } else if (operation instanceof RenewSlot renew) {
      return new Outcome.Held(slotTable.renew(renew.slot(), renew.ttl(), now));
    }
    return new Outcome.Held(slotTable.release(((ReleaseSlot) operation).slot(), now));
  }

  private Outcome take(Take take, long now) {
    TakeEvaluation evaluation = new TakeEvaluation(take, states, slotTable, now);
    Outcome outcome = evaluation.decide();
    if (take.ticket().isPresent()) {
      TicketRow ticket = evaluation.ticket(take.ticket().get().ttl());
      if (ticket != null) {
        tickets.put(take.ticket().get().id(), ticket);
      }
    }
    return outcome;
  }

  private Outcome settle(String ticket, ToLongFunction<TicketRow> actual, long now) {
    TicketRow row = tickets.get(ticket);
    tickets.remove(ticket);
    if (row == null || row.isExpired(now)) {
      return new Outcome.Settled(false, 0);
    }
    return new SettleEvaluation(states, resets, row, now).settle(actual.applyAsLong(row));
  }

  private Outcome reset(Reset reset, long now) {
    List<BudgetDraft> drafts = new ArrayList<>();
    for (Budget budget : reset.budgets()) {
      boolean isSlots = budget.limit() instanceof Limit.Concurrency;
      BudgetDraft draft = isSlots ? null : new BudgetDraft(states, budget, now);
      if (draft != null && draft.isStale()) {
        return new Outcome.Stale(draft.version());
      }
      drafts.add(draft);
    }
    List<Outcome.Standing> standings = new ArrayList<>();
    for (int i = 0; i < drafts.size(); i++) {
      Budget budget = reset.budgets().get(i);
      if (drafts.get(i) == null) {
        slotTable.clear(budget.key());
        standings.add(slotTable.standing(budget, false, now));
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
    ResetRow before = resets.get(key);
    resets.put(key, new ResetRow(before == null ? now : Math.max(now, before.at())));
  }

  /** Checks the next few rows of each kind and drops those that are expired. */
  public void sweep(int few, long nowMicros) {
    states.sweep(few, nowMicros, (key, gone) -> {});
    tickets.sweep(few, nowMicros, (key, gone) -> {});
    requests.sweep(few, nowMicros, (key, gone) -> {});
    resets.sweep(few, nowMicros, (key, gone) -> {});
    slotTable.sweep(few, nowMicros);
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
      case STATE -> states.restore(key, BudgetState.parse(text));
      case TICKET -> tickets.restore(key, TicketRow.parse(text));
      case REQUEST -> requests.restore(key, RequestOutcomeRow.parse(text));
      case SLOT -> slotTable.restore(key, SlotRow.parse(text));
      case RESET -> resets.restore(key, ResetRow.parse(text));
    }
  }
}
