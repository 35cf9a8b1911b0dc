package dev.plinth.ratelimit.core;

import dev.plinth.server.failure.Failure.StoreUnavailable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Requests of one domain on their way to the store and back. Those who wait are told once: by the
 * answer, or when they have waited too long; an answer after that only counts as late.
 */
final class Flush {
  private static final System.Logger LOG = System.getLogger(Flush.class.getName());

  private final Flushes flushes;
  private final String domain;
  private final List<Slip> slips;
  private final boolean probe;
  private final Runnable landed;
  private final AtomicBoolean judged = new AtomicBoolean();
  private final long sentAt;

  Flush(
      Flushes flushes, String domain, List<Slip> slips, long now, boolean probe, Runnable landed) {
    this.flushes = flushes;
    this.domain = domain;
    this.slips = slips;
    this.sentAt = now;
    this.probe = probe;
    this.landed = landed;
  }

  /** On the monotonic clock, from before it was sent. */
  long sentAt() {
    return sentAt;
  }

  void send() {
    List<Request> requests = new ArrayList<>(slips.size());
    int checks = 0;
    for (Slip slip : slips) {
      requests.add(slip.request());
      checks += slip.checks();
      if (slip.checks() > 1) {
        flushes.ledger().events().merged(slip.checks());
      }
    }
    flushes.ledger().events().flushed(requests.size(), checks);
    apply(requests).whenComplete(this::land);
  }

  private CompletionStage<List<Outcome>> apply(List<Request> requests) {
    try {
      return flushes.store().apply(domain, requests);
    } catch (Throwable e) { // whatever it is, nobody may wait for it
      return CompletableFuture.failedStage(e);
    }
  }

  private void land(List<Outcome> outcomes, Throwable failure) {
    long now = flushes.nanos().getAsLong();
    Throwable cause = failure == null ? wrongAnswer(outcomes) : unwrapped(failure);
    flushes.ledger().events().storeAnswered(now - sentAt, cause == null);
    // Whatever else was thrown, the store was not away.
    judge(!(cause instanceof StoreUnavailable), now);
    for (int i = 0; i < slips.size(); i++) {
      tell(slips.get(i), cause == null ? outcomes.get(i) : null, cause);
    }
    landed.run();
  }

  private Throwable wrongAnswer(List<Outcome> outcomes) {
    return outcomes.size() == slips.size()
        ? null
        : new IllegalStateException(outcomes.size() + " outcomes (expected: " + slips.size() + ")");
  }

  private static Throwable unwrapped(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  private void tell(Slip slip, Outcome outcome, Throwable cause) {
    try {
      if (outcome instanceof Outcome.Undecided undecided) {
        flushes.undecided(domain, undecided);
        slip.failed(Answers.failure(undecided));
      } else if (cause == null) {
        slip.answered(outcome, this);
      } else {
        slip.failed(cause);
      }
    } catch (Throwable e) {
      // One that cannot take its answer must not keep the others from theirs.
      LOG.log(System.Logger.Level.ERROR, "an answer of the budget store was not understood", e);
      slip.failed(e);
    }
  }

  /** Those that waited too long are decided without the store. */
  void expire(long now) {
    if (now - sentAt >= flushes.tuning().storeBudget().toNanos()) {
      judge(false, now);
    }
    slips.forEach(slip -> slip.expire(now));
  }

  /** Whether it is known to have been answered in time or not. */
  boolean isJudged() {
    return judged.get();
  }

  void late(int checks) {
    flushes.ledger().events().late(checks);
  }

  private void judge(boolean good, long now) {
    if (!judged.compareAndSet(false, true)) {
      return;
    }
    Breaker breaker = flushes.breaker();
    if (probe && good) {
      breaker.probeSucceeded();
    } else if (probe) {
      breaker.probeFailed(now);
    } else if (good) {
      breaker.succeeded();
    } else {
      breaker.failed(now);
    }
  }
}
