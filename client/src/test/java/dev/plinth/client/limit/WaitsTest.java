package dev.plinth.client.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.PlinthClient;
import dev.plinth.client.internal.ClientWire;
import dev.plinth.ratelimit.v1.Decision;
import dev.plinth.ratelimit.v1.ReserveResponse;
import dev.plinth.ratelimit.v1.Verdict;
import io.grpc.Status;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Callers that wait, and places in the future. */
class WaitsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ScriptedLimits service = new ScriptedLimits();
  private final PlinthClient client = service.manualClient().build();
  private final RateLimitClient rateLimitClient =
      client.limits(ScriptedLimits.patient().withoutLeases());
  private final Limiter limiter = rateLimitClient.of("api", "tenant", "acme");

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  void acquire_actsWhenItsPlaceComes_notBefore() {
    service.reserve = request -> ScriptedLimits.reserved(Duration.ofMillis(300), 1);
    CompletableFuture<Boolean> mine = limiter.waiter(1, SECOND);
    service.run("a place", () -> service.reserves.size() == 1);
    assertEquals(SECOND, ClientWire.duration(service.reserves.get(0).getMaxWait()));
    service.clock.advance(Duration.ofMillis(299));
    assertFalse(mine.isDone());
    service.clock.advance(Duration.ofMillis(1));
    assertTrue(mine.join());
    assertEquals(0, service.settles.size());
  }

  @Test
  void acquire_triesAgain_whenItMayPass() {
    service.reserve = request -> no(Optional.of(Duration.ofMillis(400)));
    CompletableFuture<Boolean> mine = limiter.waiter(1, SECOND);
    service.run("a denial", () -> service.reserves.size() == 1);
    service.clock.runDue();
    service.clock.advance(Duration.ofMillis(399));
    assertEquals(1, service.reserves.size());
    service.reserve = request -> ScriptedLimits.reserved(Duration.ZERO, 1);
    service.clock.advance(Duration.ofMillis(1));
    assertTrue(service.answer(mine));
    assertNotEquals(service.reserves.get(0).getRequestId(), service.reserves.get(1).getRequestId());
  }

  @Test
  void acquire_isOverAtOnce_whereItWouldTakeLonger_orNeverPass() {
    service.reserve = request -> no(Optional.of(SECOND));
    assertFalse(service.answer(limiter.waiter(1, SECOND)));
    service.reserve = request -> no(Optional.empty());
    assertFalse(service.answer(limiter.waiter(1, Duration.ofDays(1))));
  }

  @Test
  void acquireGivenUp_givesItsPlaceBack() {
    service.reserve = request -> ScriptedLimits.reserved(Duration.ofMillis(300), 1);
    CompletableFuture<Boolean> mine = limiter.waiter(1, SECOND);
    service.run("a place", () -> service.reserves.size() == 1);
    service.clock.runDue();
    mine.cancel(false);
    service.run("it back", () -> service.settles.size() == 1);
    assertEquals("place", service.settles.get(0).getReservationId());
    assertEquals(0, service.settles.get(0).getActualCost());
  }

  @Test
  void acquireGivenUp_beforeItsAnswer_givesItsPlaceBack() {
    CompletableFuture<Boolean> mine = limiter.waiter(1, SECOND);
    mine.cancel(false);
    service.run("it back", () -> service.settles.size() == 1);
  }

  @Test
  void acquire_unanswered_failsOpenOrAsksTheSameAgain() {
    service.reserve =
        request -> {
          throw Status.UNAVAILABLE.asRuntimeException();
        };
    assertTrue(service.answer(limiter.waiter(1, SECOND)));
    Limiter closed =
        client
            .limits(ScriptedLimits.patient().onUnavailable(OnUnavailable.CLOSED))
            .of("api", "tenant", "acme");
    service.reserves.clear();
    CompletableFuture<Boolean> mine = closed.waiter(1, SECOND);
    service.run("a try", () -> service.reserves.size() == 1);
    service.clock.runDue();
    service.reserve = request -> ScriptedLimits.reserved(Duration.ZERO, 1);
    service.clock.advance(Duration.ofMillis(250));
    assertTrue(service.answer(mine));
    assertEquals(service.reserves.get(0), service.reserves.get(1));
  }

  @Test
  void reservation_isSettledOnce() {
    service.reserve = request -> ScriptedLimits.reserved(Duration.ofMillis(300), 5);
    Reservation place = service.answer(limiter.reservations().reserve(5, SECOND)).orElseThrow();
    assertEquals(5, place.cost());
    assertEquals(Duration.ofMillis(300), place.delay());
    service.clock.advance(Duration.ofMillis(300));
    assertEquals(Duration.ZERO, place.delay());
    assertTrue(service.answer(place.settling(3)));
    assertFalse(service.answer(place.settling(2)));
    assertEquals(1, service.settles.size());
    assertEquals(3, service.settles.get(0).getActualCost());
    assertThrows(IllegalArgumentException.class, () -> place.settling(-1));
  }

  @Test
  void reservationClosed_beforeItsTime_isGivenBack_andStaysChargedAfter() {
    service.reserve = request -> ScriptedLimits.reserved(Duration.ofMillis(300), 5);
    service.answer(limiter.reservations().reserve(5, SECOND)).orElseThrow().close();
    service.run("it back", () -> service.settles.size() == 1);
    Reservation place = service.answer(limiter.reservations().reserve(5, SECOND)).orElseThrow();
    service.clock.advance(Duration.ofMillis(300));
    place.close();
    service.clock.runDue();
    assertEquals(1, service.settles.size());
  }

  @Test
  void reservation_deniedIsNone_andUnansweredIsAskedAgain() {
    service.reserve = request -> no(Optional.of(SECOND));
    assertEquals(Optional.empty(), service.answer(limiter.reservations().reserve(5, SECOND)));
    service.reserves.clear();
    service.reserve =
        request -> {
          if (service.reserves.size() < 2) {
            throw Status.UNAVAILABLE.asRuntimeException();
          }
          return ScriptedLimits.reserved(Duration.ZERO, 5);
        };
    CompletableFuture<Optional<Reservation>> asked = limiter.reservations().reserve(5, SECOND);
    service.run("another try", () -> advanced() && asked.isDone());
    assertTrue(asked.join().isPresent());
    assertEquals(service.reserves.get(0), service.reserves.get(1));
  }

  @Test
  void refund_liftsADenial() {
    service.reserve = request -> ScriptedLimits.reserved(Duration.ofMillis(300), 5);
    Reservation place = service.answer(limiter.reservations().reserve(5, SECOND)).orElseThrow();
    service.check = request -> ScriptedLimits.denied(SECOND);
    service.answer(limiter.request(1, false));
    assertEquals(DecisionSource.DENY_CACHE, service.answer(limiter.request(1, false)).source());
    service.answer(place.settling(0));
    assertEquals(DecisionSource.SERVICE, service.answer(limiter.request(1, false)).source());
  }

  private boolean advanced() {
    service.clock.advance(Duration.ofMillis(10));
    return true;
  }

  private static ReserveResponse no(Optional<Duration> retryAfter) {
    Decision never = Decision.newBuilder().setVerdict(Verdict.VERDICT_DENY).build();
    return ReserveResponse.newBuilder()
        .setDecision(retryAfter.map(ScriptedLimits::denied).orElse(never))
        .build();
  }
}
