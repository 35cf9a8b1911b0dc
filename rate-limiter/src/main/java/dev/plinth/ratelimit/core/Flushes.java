package dev.plinth.ratelimit.core;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** What every flush needs to know. */
final class Flushes {
  private static final System.Logger LOG = System.getLogger(Flushes.class.getName());
  private static final long LOGGED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final BudgetStore store;
  private final Tuning tuning;
  private final Node node;
  private final Breaker breaker;
  private final Ledger ledger;
  private final AtomicLong loggedAt = new AtomicLong();

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

  /** Counted, and logged once a second. */
  void undecided(String domain, Outcome.Undecided undecided) {
    ledger.events().undecided();
    long now = node.nanos().getAsLong();
    long last = loggedAt.get();
    if ((last == 0 || now - last >= LOGGED_NANOS) && loggedAt.compareAndSet(last, now | 1)) {
      LOG.log(
          System.Logger.Level.WARNING,
          "a request of domain {0} was not decided by the store: {1}",
          domain,
          undecided.why());
    }
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
