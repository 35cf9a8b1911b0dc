package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.Outcome;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Makes flushes, and holds what all of them need. */
final class FlushFactory {
  private static final System.Logger LOG = System.getLogger(FlushFactory.class.getName());
  private static final long LOGGED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final BudgetStore store;
  private final PipelineOptions tuning;
  private final NodeContext node;
  private final StoreCircuitBreaker breaker;
  private final DecisionRecorder recorder;
  private final AtomicLong loggedAt = new AtomicLong();

  FlushFactory(
      BudgetStore store,
      PipelineOptions tuning,
      NodeContext node,
      StoreCircuitBreaker breaker,
      DecisionRecorder recorder) {
    this.store = store;
    this.tuning = tuning;
    this.node = node;
    this.breaker = breaker;
    this.recorder = recorder;
  }

  /**
   * @param now from before it is sent
   * @param onComplete run when it is complete and every entry has its answer
   */
  Flush of(String domain, List<FlushEntry> entries, long now, Runnable onComplete) {
    return new Flush(this, domain, entries, now, false, onComplete);
  }

  /** A flush of one request, to see whether the store answers. */
  Flush probe(String domain, List<FlushEntry> entries, long now) {
    return new Flush(this, domain, entries, now, true, () -> {});
  }

  /** Counted, and logged once a second. */
  void undecided(String domain, Outcome.Undecided undecided) {
    recorder.events().undecided();
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

  PipelineOptions tuning() {
    return tuning;
  }

  LongSupplier nanos() {
    return node.nanos();
  }

  StoreCircuitBreaker breaker() {
    return breaker;
  }

  DecisionRecorder recorder() {
    return recorder;
  }
}
