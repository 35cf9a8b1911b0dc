package dev.plinth.ratelimit.model;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.OnChange;
import dev.plinth.ratelimit.store.Budget;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.Charge;
import dev.plinth.ratelimit.store.Operation;
import dev.plinth.ratelimit.store.Outcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * What many callers do to a few budgets, by a seed: checks of every kind, settling, leases, slots,
 * duplicates, rules that change, and a clock that jumps, often to just before or at the moment of a
 * retry.
 */
public final class Trace {
  private static final long START = 1_767_225_600_000_000L; // 2026
  private static final long YEAR = 366 * 24 * Limit.HOUR;
  private static final int KEYS = 4;

  private final Random random;
  private final List<Budget> budgets = new ArrayList<>();
  private final List<Budget> former = new ArrayList<>();
  private final List<Budget> rooms = new ArrayList<>();
  private final List<String> slots = new ArrayList<>(List.of("s1", "s2", "s3", "s4", "s5"));
  private final List<String> tickets = new ArrayList<>();
  private final List<BudgetRequest> sent = new ArrayList<>();
  private long now;
  private long retry;
  private int serial = 100;

  private final Model model;

  public Trace(long seed, Model model) {
    this.model = model;
    random = new Random(seed);
    now = START + random.nextLong(400L * 24 * Limit.HOUR);
    for (int i = 0; i < KEYS; i++) {
      boolean shadow = i == KEYS - 1;
      budgets.add(budget((shadow ? "~k" : "k") + i, 1 + random.nextInt(3), shadow, lending()));
      rooms.add(room("c" + i, shadow));
    }
  }

  private Budget budget(String key, long version, boolean shadow, Optional<Budget.Lending> lent) {
    OnChange onChange = OnChange.values()[random.nextInt(4)];
    return new Budget(key, TestLimits.any(random), version, onChange, shadow, lent);
  }

  private Budget room(String key, boolean shadow) {
    Limit limit = new Limit.Concurrency(1 + random.nextInt(3));
    return new Budget(key, limit, 1, OnChange.AS_IS, shadow, Optional.empty());
  }

  private Optional<Budget.Lending> lending() {
    return chance(4)
        ? Optional.empty()
        : Optional.of(new Budget.Lending(1 + random.nextInt(500), 50_000L << random.nextInt(10)));
  }

  /** The time of the next batch. */
  public long now() {
    return now;
  }

  /** What is asked next, all at one time. */
  public List<BudgetRequest> next() {
    long before = now;
    move();
    if (now < before) {
      rename(model.forget(before));
    }
    if (chance(12)) {
      change();
    }
    List<BudgetRequest> batch = new ArrayList<>();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      batch.add(request());
    }
    return batch;
  }

  /** What it came to, to go on from there. */
  public void saw(Outcome outcome) {
    if (outcome instanceof Outcome.Taken taken && taken.retry() > 0) {
      retry = Math.min(taken.retry(), YEAR); // some debts take longer than the calendar goes
    } else if (outcome instanceof Outcome.SlotOutcome slotted && slotted.retry() > 0) {
      retry = slotted.retry();
    }
  }

  private void move() {
    Limit limit = any(budgets).limit();
    switch (random.nextInt(12)) {
      case 0, 1, 2, 3 -> {}
      case 4 -> now += 1;
      case 5 -> now += random.nextInt(2_000_000);
      case 6 -> now += random.nextLong(2 * Math.min(YEAR, TestLimits.span(limit)) + 1);
      case 7 -> now += retry;
      case 8 -> now += Math.max(0, retry - 1);
      case 9 -> now += Math.min(YEAR, TestLimits.span(limit)) / 3;
      case 10 -> now += chance(3) ? random.nextLong(48 * Limit.HOUR) : random.nextInt(300);
      default -> now -= chance(3) ? random.nextLong(2 * Limit.HOUR) : random.nextInt(3_000_000);
    }
    retry = 0;
  }

  /** Uses other names for what a store may know again or not, now that it is earlier. */
  private void rename(Set<String> gone) {
    budgets.replaceAll(budget -> gone.contains(budget.key()) ? renamed(budget) : budget);
    rooms.replaceAll(room -> gone.contains(room.key()) ? renamed(room) : room);
    slots.replaceAll(slot -> gone.contains(slot) ? "s" + ++serial : slot);
    former.removeIf(budget -> gone.contains(budget.key()));
    tickets.removeAll(gone);
    sent.removeIf(request -> gone.stream().anyMatch(request.toString()::contains));
  }

  private Budget renamed(Budget old) {
    return new Budget(
        old.key() + "-" + ++serial,
        old.limit(),
        old.version(),
        old.onChange(),
        old.shadow(),
        old.lending());
  }

  /** A rule changes; now and then somebody still asks by the former one. */
  private void change() {
    int i = random.nextInt(KEYS);
    Budget old = budgets.get(i);
    former.add(old);
    Budget next = budget(old.key(), old.version() + 1, old.shadow(), old.lending());
    Limit limit = chance(3) ? next.limit() : TestLimits.resized(old.limit(), random);
    budgets.set(
        i,
        new Budget(old.key(), limit, next.version(), next.onChange(), old.shadow(), old.lending()));
    rooms.set(i, room(rooms.get(i).key(), rooms.get(i).shadow()));
  }

  private BudgetRequest request() {
    if (!sent.isEmpty() && chance(12)) {
      return again(any(sent));
    }
    Operation operation = operation();
    if (chance(6)) {
      BudgetRequest request =
          new BudgetRequest(
              operation, Optional.of(new BudgetRequest.IdempotencyKey("r" + ++serial, "print")));
      sent.add(request);
      return request;
    }
    return BudgetRequest.of(operation);
  }

  private BudgetRequest again(BudgetRequest request) {
    String print = chance(5) ? "other" : "print";
    return new BudgetRequest(
        request.operation(),
        Optional.of(
            new BudgetRequest.IdempotencyKey(request.idempotencyKey().orElseThrow().id(), print)));
  }

  private Operation operation() {
    return switch (random.nextInt(20)) {
      case 0, 1 -> new Operation.Settle(ticket(), amount(any(budgets).limit()));
      case 2 -> new Operation.ReturnUnused(ticket(), amount(any(budgets).limit()));
      case 3 -> new Operation.AcquireSlot(some(rooms), slot(), ttl());
      case 4 -> new Operation.RenewSlot(slot(), ttl());
      case 5 -> chance(2) ? new Operation.ReleaseSlot(slot()) : reset();
      case 6 -> new Operation.AcquireSlot(some(rooms), slot(), ttl());
      default -> take();
    };
  }

  private Operation reset() {
    List<Budget> both = new ArrayList<>(some(budgets));
    both.addAll(chance(3) ? some(rooms) : List.of());
    return chance(3) ? new Operation.Reset(both) : take();
  }

  private Operation take() {
    List<Budget> asked = some(budgets);
    if (!former.isEmpty() && chance(20)) {
      asked = List.of(any(former));
    }
    long cost = amount(any(asked).limit());
    List<Charge> charges = new ArrayList<>();
    boolean partial = chance(6);
    boolean always = chance(4);
    for (Budget budget : asked) {
      long other = chance(4) ? amount(budget.limit()) : cost;
      charges.add(new Charge(budget, partial ? cost : other, always && !chance(4)));
    }
    return switch (partial ? 0 : random.nextInt(6)) {
      case 0 -> new Operation.Take(charges, 1, partial, 0, 0, maybeTicket());
      case 1 -> new Operation.Take(charges, 1, false, wait(asked), 0, maybeTicket());
      case 2 -> lease(asked);
      default -> new Operation.Take(charges, 1 + random.nextInt(4), false, 0, 0, Optional.empty());
    };
  }

  private Operation lease(List<Budget> asked) {
    long cost = random.nextInt(2);
    List<Charge> charges = asked.stream().map(budget -> new Charge(budget, cost)).toList();
    long want = 1 + random.nextInt(300);
    return new Operation.Take(charges, 1, false, 0, want, maybeTicket());
  }

  private long wait(List<Budget> asked) {
    return Math.min(Limit.HOUR, random.nextLong(1 + TestLimits.span(any(asked).limit())));
  }

  private Optional<Operation.Ticket> maybeTicket() {
    if (chance(3)) {
      return Optional.empty();
    }
    tickets.add("t" + ++serial);
    return Optional.of(new Operation.Ticket("t" + serial, 1 + random.nextLong(600_000_000L)));
  }

  private String ticket() {
    return tickets.isEmpty() || chance(10)
        ? "none"
        : tickets.get(Math.max(0, tickets.size() - 1 - random.nextInt(4)));
  }

  private String slot() {
    return any(slots);
  }

  private long ttl() {
    return 1 + random.nextLong(chance(2) ? 5_000_000 : Limit.HOUR);
  }

  private long amount(Limit limit) {
    long size = limit.size();
    return switch (random.nextInt(10)) {
      case 0 -> 0;
      case 1 -> chance(5) ? Charge.MAX_HITS : size;
      case 2 -> size + 1;
      case 3 -> 1 + random.nextLong(size + 1);
      case 4, 5 -> 1 + random.nextLong(size / 3 + 1);
      default -> 1;
    };
  }

  private List<Budget> some(List<Budget> of) {
    List<Budget> shuffled = new ArrayList<>(of);
    Collections.shuffle(shuffled, random);
    return List.copyOf(shuffled.subList(0, 1 + random.nextInt(3)));
  }

  private <T> T any(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private boolean chance(int in) {
    return random.nextInt(in) == 0;
  }
}
