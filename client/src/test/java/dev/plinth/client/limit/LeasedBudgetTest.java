package dev.plinth.client.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.PlinthClient;
import dev.plinth.ratelimit.v1.LeaseBudgetResponse.Outcome;
import dev.plinth.ratelimit.v1.ReturnBudgetRequest;
import io.grpc.Status;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Leases of a limiter that has one from its first call on; each is good for 450 of its 500 ms. */
class LeasedBudgetTest {
  private final ScriptedLimits service = new ScriptedLimits();
  private final PlinthClient client = service.manualClient().build();
  private final RateLimitClient rateLimitClient =
      client.limits(ScriptedLimits.patient().leaseAbove(0));
  private final Limiter limiter = rateLimitClient.of("api", "tenant", "acme");

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  void callsThatALeasePays_makeNoCall() {
    lease(100);
    for (int i = 0; i < 49; i++) {
      assertTrue(limiter.paid(1));
    }
    assertEquals(1, service.checks.size());
    assertEquals(1, service.leases.size());
    assertEquals("api", service.leases.get(0).getDomain());
    assertEquals("acme", service.leases.get(0).getDescriptors(0).getValue());
    assertEquals("ann", service.leases.get(0).getHolder());
  }

  @Test
  void lease_isSpentToTheLastUnit_andNoFurther() {
    lease(5);
    service.lease = request -> null;
    for (int i = 0; i < 5; i++) {
      assertTrue(limiter.paid(1));
    }
    assertFalse(limiter.paid(1));
  }

  @Test
  void costAboveWhatIsLeft_isNotPaid_andLeavesIt() {
    lease(5);
    service.lease = request -> null;
    assertTrue(limiter.paid(3));
    assertFalse(limiter.paid(3));
    assertTrue(limiter.paid(2));
  }

  /** The answer takes 200 ms, which count. */
  @Test
  void L1_leaseIsOver_beforeItIsAtTheService_countedFromBeforeTheSend() {
    service.lease =
        request -> {
          service.clock.advance(Duration.ofMillis(200));
          return service.leased(100);
        };
    ask();
    service.lease = request -> null;
    service.clock.advance(Duration.ofMillis(249));
    assertTrue(limiter.paid(1));
    service.moveWithoutTimers(Duration.ofMillis(1));
    assertFalse(limiter.paid(1));
  }

  @Test
  void leaseThatComesAfterItsTime_isGivenBackUnspent() {
    service.lease =
        request -> {
          service.clock.advance(Duration.ofMillis(450));
          return service.leased(100);
        };
    ask();
    assertFalse(limiter.paid(1));
    assertReturned("lease-1", 100);
  }

  @Test
  void halfUsed_fetchesTheNext_whileTheFirstStillPays() {
    lease(10);
    spend(4);
    assertEquals(1, service.leases.size());
    spend(1);
    assertEquals(2, service.leases.size());
    service.clock.runDue();
    spend(5);
    assertEquals("", service.leases.get(1).getReturnLeaseId());
    spend(1);
    assertEquals(1, service.checks.size());
  }

  @Test
  void usedUpLease_goesBackWithTheRequestForAnother() {
    lease(10);
    service.lease = request -> service.leased(10);
    spend(5);
    service.clock.runDue();
    spend(10); // half of the second
    assertEquals(3, service.leases.size());
    assertEquals("lease-1", service.leases.get(2).getReturnLeaseId());
    assertEquals(0, service.leases.get(2).getReturnUnused());
    assertEquals(0, service.returns.size());
  }

  @Test
  void halfOfItsTime_fetchesTheNextToo_forAsMuchAsIsSpent() {
    lease(1000);
    spend(100);
    service.clock.advance(Duration.ofMillis(250));
    spend(1);
    assertEquals(2, service.leases.size());
    assertEquals(202, service.leases.get(1).getWant()); // 101 in 250 ms, for 500 ms
  }

  @Test
  void timeIsOver_theRestGoesBack() {
    lease(10);
    spend(2);
    service.clock.advance(Duration.ofMillis(450));
    assertReturned("lease-1", 8);
    assertFalse(limiter.paid(1));
    assertEquals(1, service.leases.size());
  }

  @Test
  void close_givesBackWhatIsLeft_onceAndForAll() {
    lease(10);
    spend(3);
    service.close(rateLimitClient);
    assertReturned("lease-1", 7);
    assertFalse(limiter.paid(1));
    service.clock.advance(Duration.ofSeconds(1));
    assertEquals(1, service.returns.size());
  }

  @Test
  void closedClient_givesBackToo() {
    lease(10);
    service.close(client);
    assertReturned("lease-1", 10);
  }

  @Test
  void notLeasable_isNotAskedAgain_beforeAWhile() {
    service.lease =
        request -> ScriptedLimits.notLeased(Outcome.OUTCOME_NOT_LEASABLE, Duration.ZERO);
    ask();
    service.clock.advance(Duration.ofSeconds(9));
    ask();
    assertEquals(1, service.leases.size());
    service.clock.advance(Duration.ofSeconds(1));
    ask();
    assertEquals(2, service.leases.size());
  }

  @Test
  void notLeasable_isAskedAgain_whenThePolicyIsAnother() {
    service.lease =
        request -> ScriptedLimits.notLeased(Outcome.OUTCOME_NOT_LEASABLE, Duration.ZERO);
    ask();
    service.check = request -> ScriptedLimits.allowed(1).toBuilder().setPolicyVersion(2).build();
    ask();
    assertEquals(1, service.leases.size());
    ask();
    assertEquals(2, service.leases.size());
  }

  @Test
  void leaseDenied_isAskedForAgain_whenTheServiceSaid() {
    service.lease =
        request -> ScriptedLimits.notLeased(Outcome.OUTCOME_DENIED, Duration.ofMillis(300));
    ask();
    service.clock.advance(Duration.ofMillis(299));
    ask();
    assertEquals(1, service.leases.size());
    service.clock.advance(Duration.ofMillis(1));
    ask();
    assertEquals(2, service.leases.size());
  }

  @Test
  void requestForTheNextThatFails_keepsWhatItCarriedBack() {
    lease(10);
    service.lease = request -> service.leased(10);
    spend(5);
    service.clock.runDue();
    service.lease =
        request -> {
          throw Status.UNAVAILABLE.asRuntimeException();
        };
    spend(10);
    service.clock.runDue();
    service.close(rateLimitClient);
    assertEquals(
        Map.of("lease-1", 0L, "lease-2", 5L),
        Map.of(
            service.returns.get(0).getLeaseId(), service.returns.get(0).getUnused(),
            service.returns.get(1).getLeaseId(), service.returns.get(1).getUnused()));
  }

  @Test
  void restThatWasTooSmall_goesBack_evenLate() {
    lease(10);
    service.clock.advance(Duration.ofMillis(200));
    service.lease = request -> service.leased(100);
    assertTrue(limiter.paid(6));
    service.clock.runDue();
    assertTrue(limiter.paid(5)); // of the second: 4 are left in the first
    service.moveWithoutTimers(Duration.ofMillis(250));
    assertTrue(limiter.paid(1)); // half of the second's time, all of the first's
    assertEquals(3, service.leases.size());
    assertEquals("lease-1", service.leases.get(2).getReturnLeaseId());
    assertEquals(4, service.leases.get(2).getReturnUnused());
  }

  @Test
  void leaseThatComesAfterTheEnd_isGivenBackUnspent() {
    LeasedBudget budget =
        new LeasedBudget(new LimiterKey("api", Map.of()), rateLimitClient.context());
    service.lease = request -> service.leased(10);
    budget.missed(1);
    budget.close();
    service.run("a lease", () -> service.leases.size() == 1);
    assertReturned("lease-1", 10);
    assertFalse(budget.pay(1));
  }

  @Test
  void fewCalls_leaseNothing() {
    Limiter calm = client.limits(ScriptedLimits.patient().leaseAbove(3)).of("api", "user", "bob");
    for (int i = 0; i < 9; i++) {
      service.answer(calm.request(1, false));
      service.clock.advance(Duration.ofMillis(334));
    }
    assertEquals(0, service.leases.size());
    for (int i = 0; i < 4; i++) {
      service.answer(calm.request(1, false));
    }
    assertEquals(1, service.leases.size());
  }

  @Test
  void demandThatFadesAway_isNotLeasedForAnyMore() {
    Limiter calm = client.limits(ScriptedLimits.patient().leaseAbove(3)).of("api", "user", "bob");
    for (int i = 0; i < 4; i++) {
      service.answer(calm.request(1, false));
    }
    service.clock.advance(Duration.ofMillis(400));
    assertTrue(calm.paid(1)); // 1 in 400 ms: below 3 a second
    assertEquals(1, service.leases.size());
  }

  @Test
  void withoutLeases_noneIsAskedFor() {
    Limiter strict = client.limits(ScriptedLimits.patient().withoutLeases()).of("api", Map.of());
    for (int i = 0; i < 100; i++) {
      service.answer(strict.request(1, false));
    }
    assertEquals(100, service.checks.size());
    assertEquals(0, service.leases.size());
  }

  @Test
  void limiterThatNobodyAsksFor_givesBackItsLease() {
    RateLimitClient small = client.limits(ScriptedLimits.patient().leaseAbove(0).maxLimiters(4));
    service.lease = request -> service.leased(7);
    service.answer(small.of("api", "user", "0").request(1, false));
    service.run("a lease", () -> service.leases.size() == 1);
    service.clock.runDue();
    for (int i = 1; i < 5; i++) {
      small.of("api", "user", "" + i);
    }
    assertReturned("lease-1", 7);
  }

  /** One call that the service decides, and the lease that comes with it. */
  private void lease(long granted) {
    service.lease = request -> service.leased(granted);
    ask();
    service.run("a lease", () -> service.leases.size() == 1);
    service.clock.runDue();
    service.lease = request -> service.leased(request.getWant());
  }

  private void ask() {
    assertTrue(service.answer(limiter.request(1, false)).allowed());
    service.clock.runDue();
  }

  private void spend(int times) {
    for (int i = 0; i < times; i++) {
      assertTrue(limiter.paid(1));
    }
  }

  private void assertReturned(String lease, long unused) {
    service.run("a return", () -> !service.returns.isEmpty());
    ReturnBudgetRequest back = service.returns.get(0);
    assertEquals(lease, back.getLeaseId());
    assertEquals(unused, back.getUnused());
  }
}
