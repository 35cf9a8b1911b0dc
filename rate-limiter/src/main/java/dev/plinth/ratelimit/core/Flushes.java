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

  Flush of(String domain, List<Slip> slips, boolean probe, Runnable landed) {
    return new Flush(this, domain, slips, probe, landed);
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
