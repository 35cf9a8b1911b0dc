package dev.plinth.lease;

import dev.plinth.lease.core.LeaseEvents;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.HashMap;
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

  // Looked up by name, not built anew: this runs on the thread that decides.
  private final Map<String, Timer> acquires = new HashMap<>();
  private final Map<String, Timer> holds = new HashMap<>();
  private final Timer handOffs;
  private final DistributionSummary depth;
  private final Counter deadlocks;
  private final Counter renewed;
  private final Counter lost;
  private final Counter stale;
  private final AtomicInteger held;
  private final AtomicInteger waiting;
  private final AtomicInteger sessions;

  LeaseMetrics(MeterRegistry registry) {
    held = registry.gauge("plinth.lease.held", new AtomicInteger());
    waiting = registry.gauge("plinth.lease.waiting", new AtomicInteger());
    sessions = registry.gauge("plinth.lease.sessions", new AtomicInteger());
    for (String outcome : OUTCOMES) {
      acquires.put(
          outcome,
          Timer.builder("plinth.lease.acquire")
              .description("Wishes for a key by outcome, and how long they waited in line")
              .tag("outcome", outcome)
              .register(registry));
    }
    for (String cause : CAUSES) {
      holds.put(
          cause,
          Timer.builder("plinth.lease.hold")
              .description("Holds that ended, by cause, and how long they lasted")
              .tag("cause", cause)
              .register(registry));
    }
    handOffs =
        Timer.builder("plinth.lease.handoff")
            .description("Keys handed to one in line, and how long they were free before")
            .register(registry);
    depth =
        DistributionSummary.builder("plinth.lease.queue.depth")
            .description("How many stood in a line after one more joined it")
            .register(registry);
    deadlocks =
        Counter.builder("plinth.lease.deadlocks")
            .description("Waits refused or ended since they could never have been served")
            .register(registry);
    renewed = renewals("RENEWED", registry);
    lost = renewals("LOST", registry);
    stale =
        Counter.builder("plinth.lease.fencing.rejections")
            .description("Tokens that did not hold their key or were below a fence: stale holders")
            .register(registry);
  }

  private static Counter renewals(String result, MeterRegistry registry) {
    return Counter.builder("plinth.lease.renewals")
        .description("Renewals and heartbeats; LOST ones came too late")
        .tag("result", result)
        .register(registry);
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
    (kept ? renewed : lost).increment();
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
