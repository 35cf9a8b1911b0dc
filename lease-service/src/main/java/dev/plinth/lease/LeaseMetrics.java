package dev.plinth.lease;

import dev.plinth.lease.core.LeaseEvents;
import dev.plinth.server.ServiceMeters;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Every meter of the lease service. */
final class LeaseMetrics implements LeaseEvents {
  private static final List<String> OUTCOMES =
      List.of("GRANTED", "REENTERED", "HELD", "TIMED_OUT", "DELAYED");
  private static final List<String> CAUSES =
      List.of("RELEASED", "EXPIRED", "CLOSED", "FORCED", "TRANSFERRED");

  private static final List<String> RESULTS = List.of("RENEWED", "LOST");

  private final Map<String, Timer> acquires;
  private final Map<String, Timer> holds;
  private final Map<String, Counter> renewals;
  private final Timer handOffs;
  private final DistributionSummary depth;
  private final Counter deadlocks;
  private final Counter stale;
  private final AtomicInteger held;
  private final AtomicInteger waiting;
  private final AtomicInteger sessions;

  LeaseMetrics(MeterRegistry registry) {
    ServiceMeters meters = new ServiceMeters(registry, "plinth.lease.");
    held = meters.gauge("held");
    waiting = meters.gauge("waiting");
    sessions = meters.gauge("sessions");
    acquires =
        meters.timers(
            "acquire",
            "outcome",
            OUTCOMES,
            "Wishes for a key by outcome, and how long they waited in line");
    holds =
        meters.timers(
            "hold", "cause", CAUSES, "Holds that ended, by cause, and how long they lasted");
    handOffs =
        meters.timer("handoff", "Keys handed to one in line, and how long they were free before");
    depth = meters.summary("queue.depth", "How many stood in a line after one more joined it");
    deadlocks =
        meters.counter(
            "deadlocks", "Waits refused or ended since they could never have been served");
    renewals =
        meters.counters(
            "renewals", "result", RESULTS, "Renewals and heartbeats; LOST ones came too late");
    stale =
        meters.counter(
            "fencing.rejections",
            "Tokens that did not hold their key or were below a fence: stale holders");
  }

  @Override
  public void acquired(String outcome, long waitedNanos) {
    acquires.get(outcome).record(waitedNanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void transferred(long nanos) {
    handOffs.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void joined(int waiting) {
    depth.record(waiting);
  }

  @Override
  public void deadlocked() {
    deadlocks.increment();
  }

  @Override
  public void ended(String cause, long heldNanos) {
    holds.get(cause).record(Math.max(0, heldNanos), TimeUnit.NANOSECONDS);
  }

  @Override
  public void renewed(boolean kept) {
    renewals.get(kept ? "RENEWED" : "LOST").increment();
  }

  @Override
  public void waiting(int change) {
    waiting.addAndGet(change);
  }

  @Override
  public void held(int change) {
    held.addAndGet(change);
  }

  @Override
  public void sessions(int change) {
    sessions.addAndGet(change);
  }

  @Override
  public void stale() {
    stale.increment();
  }
}
