package dev.plinth.client.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.PlinthClient;
import dev.plinth.client.internal.ClientWire;
import dev.plinth.ratelimit.v1.BudgetLease;
import dev.plinth.ratelimit.v1.LeaseBudgetRequest;
import dev.plinth.ratelimit.v1.LeaseBudgetResponse;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Threads that spend while leases come, run out, go back and are dropped, on a real clock. */
class SpendingRaceTest {
  private static final int THREADS = 4;
  private static final long CALLS = 200_000;

  private final AtomicLong granted = new AtomicLong();
  private final AtomicLong back = new AtomicLong();
  private final AtomicInteger names = new AtomicInteger();

  @Test
  void L5_whatWasAdmitted_andWhatWentBack_isWhatWasGranted() throws Exception {
    SimpleMeterRegistry meters = new SimpleMeterRegistry();
    AtomicLong admitted = new AtomicLong();
    try (ScriptedLimits service = new ScriptedLimits()) {
      service.lease = this::lease;
      try (PlinthClient client = service.client().metrics(meters).build()) {
        RateLimitClient rateLimitClient = client.limits(ScriptedLimits.patient().leaseAbove(0));
        Limiter limiter = rateLimitClient.of("api", "tenant", "acme");
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
          int cost = i + 1;
          threads.add(new Thread(() -> spend(limiter, cost, admitted)));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
          thread.join();
        }
        rateLimitClient.close();
      }
      service.returns.forEach(one -> back.addAndGet(one.getUnused()));
    }
    long stale = (long) meters.get("plinth.client.limit.lease.stale").counter().count();
    assertTrue(admitted.get() > 0);
    assertTrue(names.get() > 10, "leases: " + names);
    assertEquals(granted.get(), admitted.get() + stale + back.get());
    assertEquals(granted.get(), meters.get("plinth.client.limit.lease.granted").counter().count());
  }

  private static void spend(Limiter limiter, int cost, AtomicLong admitted) {
    for (long i = 0; i < CALLS; i++) {
      if (limiter.request(cost, false).join().source() == DecisionSource.LEASE) {
        admitted.addAndGet(cost);
      }
      if (i % 5000 == 0) {
        limiter.evict();
      }
    }
  }

  /** Small and short, so that much happens. */
  private LeaseBudgetResponse lease(LeaseBudgetRequest request) {
    long units = Math.min(request.getWant(), 1000);
    granted.addAndGet(units);
    back.addAndGet(request.getReturnUnused());
    return LeaseBudgetResponse.newBuilder()
        .setOutcome(LeaseBudgetResponse.Outcome.OUTCOME_LEASED)
        .setLease(
            BudgetLease.newBuilder()
                .setLeaseId("lease-" + names.incrementAndGet())
                .setGranted(units)
                .setValidFor(ClientWire.duration(Duration.ofMillis(20))))
        .build();
  }
}
