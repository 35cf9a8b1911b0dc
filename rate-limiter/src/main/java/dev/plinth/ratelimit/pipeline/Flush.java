package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Requests of one domain that were sent to the store together. Each waiting caller is answered
 * once: by the store, or when its deadline has passed. An answer after that only counts as late.
 */
final class Flush {
  private static final System.Logger LOG = System.getLogger(Flush.class.getName());

  private final FlushQueues queues;
  private final String domain;
  private final List<FlushEntry> entries;
  private final boolean probe;
  private final Runnable onComplete;
  private final AtomicBoolean reported = new AtomicBoolean();
  private final long sentAt;

  /**
   * @param now from before it is sent
   * @param probe whether it is sent to see whether the store answers
   * @param onComplete run when every entry has its answer
   */
  Flush(
      FlushQueues queues,
      String domain,
      List<FlushEntry> entries,
      long now,
      boolean probe,
      Runnable onComplete) {
    this.queues = queues;
    this.domain = domain;
    this.entries = entries;
    this.sentAt = now;
    this.probe = probe;
    this.onComplete = onComplete;
  }

  /** On the monotonic clock, from before it was sent. */
  long sentAt() {
    return sentAt;
  }

  void send() {
    List<BudgetRequest> requests = new ArrayList<>(entries.size());
    int checks = 0;
    for (FlushEntry entry : entries) {
      requests.add(entry.request());
      checks += entry.checks();
      if (entry.checks() > 1) {
        queues.recorder.events.merged(entry.checks());
      }
    }
    queues.recorder.events.flushed(requests.size(), checks);
    apply(requests).whenComplete(this::complete);
  }

  private CompletionStage<List<Outcome>> apply(List<BudgetRequest> requests) {
    try {
      return queues.store.apply(domain, requests);
    } catch (Throwable e) { // whatever it is, nobody may wait for it
      return CompletableFuture.failedStage(e);
    }
  }

  private void complete(List<Outcome> outcomes, Throwable failure) {
    long now = queues.now();
    Throwable cause = failure == null ? wrongAnswer(outcomes) : unwrapped(failure);
    queues.recorder.events.storeAnswered(now - sentAt, cause == null);
    // Whatever else was thrown, the store was available.
    report(!(cause instanceof StoreUnavailable), now);
    for (int i = 0; i < entries.size(); i++) {
      deliver(entries.get(i), cause == null ? outcomes.get(i) : null, cause);
    }
    onComplete.run();
  }

  private Throwable wrongAnswer(List<Outcome> outcomes) {
    return outcomes.size() == entries.size()
        ? null
        : new IllegalStateException(
            outcomes.size() + " outcomes (expected: " + entries.size() + ")");
  }

  private static Throwable unwrapped(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  private void deliver(FlushEntry entry, Outcome outcome, Throwable cause) {
    try {
      if (outcome instanceof Outcome.Undecided undecided) {
        queues.undecided(domain, undecided);
        entry.failed(failure(undecided));
      } else if (cause == null) {
        entry.answered(outcome, this);
      } else {
        entry.failed(cause);
      }
    } catch (Throwable e) {
      // One that cannot take its answer must not keep the others from theirs.
      LOG.log(System.Logger.Level.ERROR, "an answer of the budget store was not understood", e);
      entry.failed(e);
    }
  }

  private static StoreUnavailable failure(Outcome.Undecided undecided) {
    return undecided.mayHaveApplied()
        ? StoreUnavailable.outcomeUnknown("budgets", undecided.why(), null)
        : StoreUnavailable.notApplied("budgets", undecided.why(), null);
  }

  /** Those that waited too long are decided without the store. */
  void expire(long now) {
    if (now - sentAt >= queues.options.storeBudget().toNanos()) {
      report(false, now);
    }
    entries.forEach(entry -> entry.expire(now));
  }

  /** Whether it is known to have been answered in time or not. */
  boolean isReported() {
    return reported.get();
  }

  void late(int checks) {
    queues.recorder.events.late(checks);
  }

  private void report(boolean answered, long now) {
    if (!reported.compareAndSet(false, true)) {
      return;
    }
    StoreCircuitBreaker breaker = queues.breaker;
    if (probe && answered) {
      breaker.probeSucceeded();
    } else if (probe) {
      breaker.probeFailed(now);
    } else if (answered) {
      breaker.succeeded();
    } else {
      breaker.failed(now);
    }
  }
}
