package dev.plinth.client.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.PlinthClient;
import io.grpc.Status;
import io.grpc.Status.Code;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A service that does not answer, or says that it cannot. */
class UnavailableTest {
  private final ScriptedLimits service = new ScriptedLimits();
  private final PlinthClient client = service.manualClient().build();

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  void open_allows_andSaysSo() {
    fail(Code.UNAVAILABLE);
    LimiterDecision limiterDecision = ask(limiter(OnUnavailable.OPEN));
    assertTrue(limiterDecision.allowed());
    assertEquals(DecisionSource.UNAVAILABLE, limiterDecision.source());
  }

  @Test
  void closed_denies() {
    fail(Code.UNAVAILABLE);
    LimiterDecision limiterDecision = ask(limiter(OnUnavailable.CLOSED));
    assertFalse(limiterDecision.allowed());
    assertEquals(DecisionSource.UNAVAILABLE, limiterDecision.source());
  }

  @Test
  void noAnswerAtAll_isWaitedForOnlySoLong() {
    service.check = request -> null;
    Limiter limiter =
        client
            .limits(LimitOptions.defaults().deadline(Duration.ofMillis(20)))
            .of("api", "tenant", "acme");
    assertTrue(service.answer(limiter.request(1, false)).allowed());
  }

  @Test
  void check_fails_withItsCode() {
    fail(Code.UNAVAILABLE);
    CallFailedException failed = failure(limiter(OnUnavailable.OPEN).checked(1));
    assertEquals(Code.UNAVAILABLE, failed.code());
  }

  @Test
  void refusal_isNoSilence() {
    fail(Code.NOT_FOUND);
    CallFailedException failed = failure(limiter(OnUnavailable.OPEN).request(1, false));
    assertEquals(Code.NOT_FOUND, failed.code());
  }

  @Test
  void afterThreeSilences_oneCallInAWhileFindsOut() {
    Limiter limiter = limiter(OnUnavailable.OPEN);
    fail(Code.UNAVAILABLE);
    for (int i = 0; i < 10; i++) {
      assertEquals(DecisionSource.UNAVAILABLE, ask(limiter).source());
    }
    assertEquals(3, service.checks.size());
    service.clock.advance(Duration.ofMillis(250));
    ask(limiter);
    ask(limiter);
    assertEquals(4, service.checks.size());
    service.check = request -> ScriptedLimits.allowed(1);
    service.clock.advance(Duration.ofMillis(250));
    assertEquals(DecisionSource.SERVICE, ask(limiter).source());
    assertEquals(DecisionSource.SERVICE, ask(limiter).source());
  }

  @Test
  void leaseInHand_paysOn() {
    Limiter limiter = client.limits(ScriptedLimits.patient().leaseAbove(0)).of("api", "k", "v");
    service.lease = request -> service.leased(10);
    ask(limiter);
    service.run("a lease", () -> limiter.paid(1));
    fail(Code.UNAVAILABLE);
    assertEquals(DecisionSource.LEASE, ask(limiter).source());
  }

  @Test
  void closedClient_answersByTheMode_whatIsUnderWayToo() {
    Limiter limiter = limiter(OnUnavailable.CLOSED);
    service.check = request -> null;
    CompletableFuture<LimiterDecision> inFlight = limiter.request(1, false);
    service.close(client);
    assertFalse(service.answer(inFlight).allowed());
    assertFalse(limiter.tryAcquire());
  }

  private Limiter limiter(OnUnavailable mode) {
    return client
        .limits(ScriptedLimits.patient().withoutLeases().onUnavailable(mode))
        .of("api", "tenant", "acme");
  }

  private void fail(Code code) {
    service.check =
        request -> {
          throw Status.fromCode(code).asRuntimeException();
        };
  }

  private LimiterDecision ask(Limiter limiter) {
    return service.answer(limiter.request(1, false));
  }

  private CallFailedException failure(CompletableFuture<?> future) {
    CompletionException thrown =
        assertThrows(CompletionException.class, () -> service.answer(future));
    return (CallFailedException) thrown.getCause();
  }
}
