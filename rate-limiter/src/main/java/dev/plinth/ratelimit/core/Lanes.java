package dev.plinth.ratelimit.core;

import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

/**
 * The way to the store. Budgets are spread over lanes, so that those of different lanes do not wait
 * for each other. While the store is left alone everything is answered at once without it, but for
 * the one check that tries it.
 */
final class Lanes {
  private final Flushes flushes;
  private final Node node;
  private final Memory memory;
  private final ServerLeases leases;
  private final List<Lane> lanes;
  private final long tick;
  private final AtomicBoolean watched = new AtomicBoolean();
  private volatile Flush probe;

  Lanes(Flushes flushes, Node node, Memory memory, ServerLeases leases) {
    this.flushes = flushes;
    this.node = node;
    this.memory = memory;
    this.leases = leases;
    this.lanes =
        IntStream.range(0, flushes.tuning().lanes()).mapToObj(i -> new Lane(this)).toList();
    this.tick =
        Math.max(TimeUnit.MILLISECONDS.toNanos(1), flushes.tuning().storeBudget().toNanos() / 8);
  }

  void submit(Waiting<?> waiting, long now) {
    switch (flushes.breaker().pass(now)) {
      case GO -> lanes.get(Math.floorMod(waiting.place(), lanes.size())).add(waiting, now);
      case PROBE -> probe(waiting, now);
      case STAY -> waiting.away(false);
    }
  }

  private void probe(Waiting<?> waiting, long now) {
    List<Slip> slips = Slip.of(waiting, ledger());
    Flush flush = flushes.probe(waiting.domain(), slips, now);
    probe = flush;
    flush.send();
    if (!waiting.isDone()) {
      watch();
    }
  }

  /** Looks after those that wait, from now until nobody does: one timer for all of them. */
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
    // First, so that who begins to wait during the look is looked after by the next.
    watched.set(false);
    long now = now();
    boolean waited = false;
    for (Lane lane : lanes) {
      waited |= lane.expire(now);
    }
    Flush alone = probe;
    if (alone != null) {
      alone.expire(now);
      waited |= !alone.isJudged();
    }
    if (waited) {
      watch();
    }
  }

  boolean handOver(Runnable work) {
    try {
      node.scheduler().execute(work);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  /** Answers it from memory, if that knows by now. */
  boolean isKnown(Waiting<?> waiting, long now) {
    if (!(waiting instanceof Asked asked)) {
      return false;
    }
    Decision known = memory.decide(asked.set(), asked.cost(), now);
    if (known != null) {
      asked.complete(known);
    }
    return known != null;
  }

  boolean isStoreAsked() {
    return flushes.breaker().isClosed();
  }

  long now() {
    return node.nanos().getAsLong();
  }

  Tuning tuning() {
    return flushes.tuning();
  }

  Flushes flushes() {
    return flushes;
  }

  Ledger ledger() {
    return flushes.ledger();
  }

  ServerLeases leases() {
    return leases;
  }
}
