package dev.plinth.client.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.plinth.client.PlinthClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClientLimitMetricsTest {
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final ScriptedLimits service = new ScriptedLimits();
  private final PlinthClient client = service.manualClient().metrics(meters).build();

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  void leases_areCounted_withWhatTheyWereUsedFor() {
    Limiter limiter = client.limits(ScriptedLimits.patient().leaseAbove(0)).of("api", "k", "v");
    service.lease = request -> service.leased(10);
    service.answer(limiter.request(1, false));
    service.run("a lease", () -> limiter.paid(1));
    service.answer(limiter.request(2, false));
    service.clock.advance(Duration.ofMillis(450));
    service.run("the rest back", () -> service.returns.size() == 1);
    assertEquals(1, counter("leases", "outcome", "LEASED"));
    assertEquals(10, counter("lease.granted"));
    assertEquals(7, counter("lease.unused"));
    assertEquals(0, counter("lease.stale"));
    assertEquals(1, counter("decisions", "answer", "ALLOWED", "source", "SERVICE"));
    assertEquals(2, counter("decisions", "answer", "ALLOWED", "source", "LEASE"));
  }

  @Test
  void denials_areCounted_byWhoDenied() {
    Limiter limiter = client.limits(ScriptedLimits.patient().withoutLeases()).of("api", "k", "v");
    service.check = request -> ScriptedLimits.denied(Duration.ofMillis(500));
    service.answer(limiter.request(1, false));
    service.answer(limiter.request(1, false));
    service.answer(limiter.request(1, false));
    assertEquals(1, counter("decisions", "answer", "DENIED", "source", "SERVICE"));
    assertEquals(2, counter("decisions", "answer", "DENIED", "source", "DENY_CACHE"));
  }

  @Test
  void paymentAfterItsTime_isCountedAsStale() {
    Limiter limiter = client.limits(ScriptedLimits.patient().leaseAbove(0)).of("api", "k", "v");
    service.lease = request -> service.leased(10);
    service.answer(limiter.request(1, false));
    service.run("a lease", () -> limiter.paid(1));
    service.moveWithoutTimers(Duration.ofMillis(450));
    assertEquals(DecisionSource.SERVICE, service.answer(limiter.request(3, false)).source());
    assertEquals(3, counter("lease.stale"));
  }

  private double counter(String name, String... tags) {
    return meters.get("plinth.client.limit." + name).tags(tags).counter().count();
  }
}
