package dev.plinth.ratelimit.store;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.OnChange;
import dev.plinth.ratelimit.store.Operation.Take;
import dev.plinth.ratelimit.store.Operation.Ticket;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A store, the time it goes by, and how the contracts talk to it. */
public abstract class BudgetStoreCase {
  protected static final long START = 1_767_225_600_000_000L; // 2026-01-01T00:00:00Z
  protected static final long SECOND = 1_000_000;
  protected static final String DOMAIN = "d";

  protected BudgetStore store;
  private long now;

  /** An empty store. */
  protected abstract BudgetStore open();

  /** Sets the store's time, in microseconds since 1970, forwards or backwards. */
  protected abstract void at(long micros);

  @BeforeEach
  void openStore() {
    store = open();
    setTime(START);
  }

  @AfterEach
  void closeStore() {
    store.close();
  }

  protected final void setTime(long micros) {
    now = micros;
    at(micros);
  }

  protected final void advance(long micros) {
    setTime(now + micros);
  }

  protected final long now() {
    return now;
  }

  protected final List<Outcome> apply(String domain, BudgetRequest... batch) {
    return store.apply(domain, List.of(batch)).toCompletableFuture().join();
  }

  protected final Outcome apply(Operation operation) {
    return apply(DOMAIN, BudgetRequest.of(operation)).get(0);
  }

  protected final Outcome.Taken take(Take take) {
    return (Outcome.Taken) apply(take);
  }

  protected final Outcome.Taken take(Budget budget, long cost) {
    return take(of(cost, budget));
  }

  /** What is there now, looked at without a change. */
  protected final long available(Budget budget) {
    return look(budget).available();
  }

  protected final Outcome.Standing look(Budget budget) {
    return take(budget, 0).standings().get(0);
  }

  protected final Outcome.Settled settle(String ticket, long actual) {
    return (Outcome.Settled) apply(new Operation.Settle(ticket, actual));
  }

  protected static Take of(long cost, Budget... budgets) {
    return Take.of(Arrays.stream(budgets).map(budget -> new Charge(budget, cost)).toList());
  }

  protected static Take partial(long cost, Budget... budgets) {
    return new Take(of(cost, budgets).charges(), 1, true, 0, 0, Optional.empty());
  }

  protected static Take reserve(long cost, long maxWait, String ticket, Budget... budgets) {
    return new Take(
        of(cost, budgets).charges(),
        1,
        false,
        maxWait,
        0,
        Optional.of(new Ticket(ticket, 60 * SECOND)));
  }

  protected static Take lease(long want, String ticket, Budget... budgets) {
    return new Take(
        of(0, budgets).charges(), 1, false, 0, want, Optional.of(new Ticket(ticket, 60 * SECOND)));
  }

  protected static BudgetRequest once(Operation operation, String id, String fingerprint) {
    return new BudgetRequest(
        operation, Optional.of(new BudgetRequest.IdempotencyKey(id, fingerprint)));
  }

  protected static Budget budget(String key, Limit limit) {
    return new Budget(key, limit, 1, OnChange.AS_IS, false, Optional.empty());
  }

  protected static Budget shadow(String key, Limit limit) {
    return new Budget(key, limit, 1, OnChange.AS_IS, true, Optional.empty());
  }

  protected static Budget lending(String key, Limit limit, long most, long ttl) {
    return new Budget(
        key, limit, 1, OnChange.AS_IS, false, Optional.of(new Budget.Lending(most, ttl)));
  }

  /** The budget after its rule changed. */
  protected static Budget next(Budget budget, Limit limit, OnChange onChange) {
    return new Budget(
        budget.key(), limit, budget.version() + 1, onChange, budget.shadow(), budget.lending());
  }

  /** Ten at once, and one more every second. */
  protected static Limit.Bucket ten() {
    return new Limit.Bucket(10, SECOND, 1);
  }
}
