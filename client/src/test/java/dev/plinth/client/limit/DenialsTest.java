package dev.plinth.client.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.PlinthClient;
import dev.plinth.ratelimit.v1.Decision;
import dev.plinth.ratelimit.v1.Verdict;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Denials that a limiter answers from memory. */
class DenialsTest {
  private final ScriptedLimits service = new ScriptedLimits();
  private final PlinthClient client = service.manualClient().build();
  private final Limiter limiter =
      client.limits(ScriptedLimits.patient().withoutLeases()).of("api", "tenant", "acme");

  @AfterEach
  void stop() {
    service.close();
  }

  /** The answer takes 200 of its 500 ms. */
  @Test
  void L10_denialHolds_fromBeforeTheSend_andNoLonger() {
    deny(1, Duration.ofMillis(500), Duration.ofMillis(200));
    service.check = request -> ScriptedLimits.allowed(request.getCost());
    service.clock.advance(Duration.ofMillis(299));
    LimiterDecision held = ask(1);
    assertFalse(held.allowed());
    assertEquals(DecisionSource.DENY_CACHE, held.source());
    assertEquals(Optional.of(Duration.ofMillis(1)), held.retryAfter());
    assertEquals(Verdict.VERDICT_DENY, held.decision().orElseThrow().getVerdict());
    assertEquals(1, service.checks.size());
    service.clock.advance(Duration.ofMillis(1));
    assertTrue(ask(1).allowed());
    assertEquals(2, service.checks.size());
  }

  @Test
  void L10_lessThanWasDenied_isAsked_moreIsNot() {
    deny(5, Duration.ofMillis(500), Duration.ZERO);
    service.check = request -> ScriptedLimits.allowed(request.getCost());
    assertEquals(DecisionSource.DENY_CACHE, ask(6).source());
    assertEquals(DecisionSource.DENY_CACHE, ask(5).source());
    assertTrue(ask(4).allowed());
    assertEquals(DecisionSource.DENY_CACHE, ask(5).source()); // less that passed does not lift it
  }

  @Test
  void L10_longDenial_isHeldForAMomentOnly() {
    deny(1, Duration.ofDays(20), Duration.ZERO);
    service.clock.advance(Duration.ofMillis(999));
    LimiterDecision held = ask(1);
    assertEquals(DecisionSource.DENY_CACHE, held.source());
    assertEquals(Duration.ofDays(20).minusMillis(999), held.retryAfter().orElseThrow());
    service.clock.advance(Duration.ofMillis(1));
    service.check = request -> ScriptedLimits.allowed(1);
    assertTrue(ask(1).allowed());
  }

  @Test
  void neverAllowed_isAskedEachTime() {
    service.check = request -> Decision.newBuilder().setVerdict(Verdict.VERDICT_DENY).build();
    assertEquals(Optional.empty(), ask(1).retryAfter());
    assertEquals(DecisionSource.SERVICE, ask(1).source());
    assertEquals(2, service.checks.size());
  }

  @Test
  void laterDenialOfLess_coversMore() {
    deny(5, Duration.ofMillis(900), Duration.ZERO);
    deny(2, Duration.ofMillis(300), Duration.ZERO);
    assertEquals(DecisionSource.DENY_CACHE, ask(2).source());
    assertEquals(DecisionSource.DENY_CACHE, ask(5).source());
  }

  @Test
  void check_asksTheServiceAllTheSame() {
    deny(1, Duration.ofMillis(500), Duration.ZERO);
    service.check = request -> ScriptedLimits.allowed(1);
    assertTrue(LimiterDecision.isAllowed(service.answer(limiter.checked(1))));
  }

  @Test
  void waitThatADenialOutlasts_isOverAtOnce() {
    deny(1, Duration.ofMillis(500), Duration.ZERO);
    assertFalse(service.answer(limiter.waiter(1, Duration.ofMillis(499))));
    assertEquals(0, service.reserves.size());
    assertTrue(service.answer(limiter.waiter(1, Duration.ofMillis(500))));
  }

  private void deny(long cost, Duration retryAfter, Duration takes) {
    service.check =
        request -> {
          service.clock.advance(takes);
          return ScriptedLimits.denied(retryAfter);
        };
    assertEquals(DecisionSource.SERVICE, ask(cost).source());
  }

  private LimiterDecision ask(long cost) {
    return service.answer(limiter.request(cost, false));
  }
}
