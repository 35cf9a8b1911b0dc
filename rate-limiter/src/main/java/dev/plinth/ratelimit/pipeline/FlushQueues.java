package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.server.log.LogThrottle;
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
  private static final System.Logger LOG = System.getLogger(FlushQueues.class.getName());

  final BudgetStore store;
  final PipelineOptions options;
  final StoreCircuitBreaker breaker;
  final DecisionRecorder recorder;
  final ServerLeases leases;
  private final NodeContext node;
  private final LogThrottle throttle;
  private final List<FlushQueue> queues;
  private final long tick;
  private final AtomicBoolean watched = new AtomicBoolean();
  private volatile Flush probe;

  FlushQueues(
      BudgetStore store,
      PipelineOptions options,
      NodeContext node,
      StoreCircuitBreaker breaker,
      DecisionRecorder recorder,
      ServerLeases leases) {
    this.store = store;
    this.options = options;
    this.node = node;
    this.breaker = breaker;
    this.recorder = recorder;
    this.leases = leases;
    this.throttle = new LogThrottle(node.machine().nanos());
    this.queues = IntStream.range(0, options.queues()).mapToObj(i -> new FlushQueue(this)).toList();
    this.tick = Math.max(TimeUnit.MILLISECONDS.toNanos(1), options.storeBudget().toNanos() / 8);
  }

  void submit(PendingAnswer<?> answer, long now) {
    switch (breaker.permit(now)) {
      case SEND -> queues.get(Math.floorMod(answer.queueHash(), queues.size())).add(answer, now);
      case PROBE -> probe(answer, now);
      case SKIP -> answer.onStoreUnavailable(false);
    }
  }

  private void probe(PendingAnswer<?> answer, long now) {
    List<FlushEntry> entries = FlushEntry.of(answer, recorder);
    Flush flush = new Flush(this, answer.domain(), entries, now, true, () -> {});
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

  /** By a lease, which was charged before, or by a cached denial; null if only the store knows. */
  Decision decideLocally(BudgetSet set, long cost, long now) {
    Decision leased = leases.spend(set, cost, now);
    return leased != null ? leased : recorder.denied(set, cost, now);
  }

  /** Counted, and logged once a second. */
  void undecided(String domain, Outcome.Undecided undecided) {
    recorder.events.undecided();
    throttle
        .next()
        .ifPresent(
            many ->
                LOG.log(
                    System.Logger.Level.WARNING,
                    "a request of domain {0} was not decided by the store: {1}",
                    domain,
                    undecided.why()));
  }

  long now() {
    return node.nanos().getAsLong();
  }
}
