package dev.plinth.ratelimit.pipeline;

import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

/**
 * The queues in front of the store. Budgets are spread over them, so that those of different queues
 * do not wait for each other. While the circuit is open everything is answered at once without the
 * store, but for the one check that probes it.
 */
final class FlushQueues {
  private final FlushFactory flushes;
  private final NodeContext node;
  private final LocalDecider memory;
  private final ServerLeases leases;
  private final List<FlushQueue> queues;
  private final long tick;
  private final AtomicBoolean watched = new AtomicBoolean();
  private volatile Flush probe;

  FlushQueues(FlushFactory flushes, NodeContext node, LocalDecider memory, ServerLeases leases) {
    this.flushes = flushes;
    this.node = node;
    this.memory = memory;
    this.leases = leases;
    this.queues =
        IntStream.range(0, flushes.tuning().queues()).mapToObj(i -> new FlushQueue(this)).toList();
    this.tick =
        Math.max(TimeUnit.MILLISECONDS.toNanos(1), flushes.tuning().storeBudget().toNanos() / 8);
  }

  void submit(PendingAnswer<?> answer, long now) {
    switch (flushes.breaker().permit(now)) {
      case SEND -> queues.get(Math.floorMod(answer.queueHash(), queues.size())).add(answer, now);
      case PROBE -> probe(answer, now);
      case SKIP -> answer.onStoreUnavailable(false);
    }
  }

  private void probe(PendingAnswer<?> answer, long now) {
    List<FlushEntry> entries = FlushEntry.of(answer, recorder());
    Flush flush = flushes.probe(answer.domain(), entries, now);
    probe = flush;
    flush.send();
    if (!answer.isDone()) {
      watch();
    }
  }

  /** Schedules the check for expired waits while there are any: one timer for all of them. */
  void watch() {
    if (!watched.get() && watched.compareAndSet(false, true)) {
      try {
        node.scheduler().schedule(this::expire, tick, TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException e) {
        watched.set(false);
      }
    }
  }

  private void expire() {
    // First, so that a wait that begins during this pass is seen by the next.
    watched.set(false);
    long now = now();
    boolean waited = false;
    for (FlushQueue queue : queues) {
      waited |= queue.expire(now);
    }
    Flush current = probe;
    if (current != null) {
      current.expire(now);
      waited |= !current.isReported();
    }
    if (waited) {
      watch();
    }
  }

  boolean executeLater(Runnable work) {
    try {
      node.scheduler().execute(work);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  /** Answers it from memory, if a lease or a denial has come meanwhile. */
  boolean decideLocally(PendingAnswer<?> answer, long now) {
    if (!(answer instanceof PendingCheck check)) {
      return false;
    }
    Decision known = memory.decide(check.set(), check.cost(), now);
    if (known != null) {
      check.complete(known);
    }
    return known != null;
  }

  boolean isStoreUsed() {
    return flushes.breaker().isClosed();
  }

  long now() {
    return node.nanos().getAsLong();
  }

  PipelineOptions tuning() {
    return flushes.tuning();
  }

  FlushFactory flushes() {
    return flushes;
  }

  DecisionRecorder recorder() {
    return flushes.recorder();
  }

  ServerLeases leases() {
    return leases;
  }
}
