package dev.plinth.ratelimit.core;

import java.util.List;
import java.util.function.LongSupplier;

/** What every flush needs to know. */
final class Flushes {
  private final BudgetStore store;
  private final Tuning tuning;
  private final Node node;
  private final Breaker breaker;
  private final Ledger ledger;

  Flushes(BudgetStore store, Tuning tuning, Node node, Breaker breaker, Ledger ledger) {
    this.store = store;
    this.tuning = tuning;
    this.node = node;
    this.breaker = breaker;
    this.ledger = ledger;
  }

  /**
   * @param now from before it is sent
   * @param landed run when it is over and everybody was told
   */
  Flush of(String domain, List<Slip> slips, long now, Runnable landed) {
    return new Flush(this, domain, slips, now, false, landed);
  }

  /** Alone, to see whether the store answers. */
  Flush probe(String domain, List<Slip> slips, long now) {
    return new Flush(this, domain, slips, now, true, () -> {});
  }

  BudgetStore store() {
    return store;
  }

  Tuning tuning() {
    return tuning;
  }

  LongSupplier nanos() {
    return node.nanos();
  }

  Breaker breaker() {
    return breaker;
  }

  Ledger ledger() {
    return ledger;
  }
}
