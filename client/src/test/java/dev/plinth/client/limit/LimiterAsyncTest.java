package dev.plinth.client.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.PlinthClient;
import dev.plinth.ratelimit.v1.Decision;
import dev.plinth.ratelimit.v1.ReserveResponse;
import dev.plinth.ratelimit.v1.Verdict;
import io.grpc.Status;
import io.grpc.Status.Code;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The calls of a limiter that do not block: how they end, and on which thread that is told. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LimiterAsyncTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ScriptedLimits service = new ScriptedLimits();
  private final PlinthClient client = service.manualClient().build();
  private final Limiter limiter = limiter(OnUnavailable.OPEN);

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  void granted_completesWithTheDecision() {
    LimiterDecision decision = answer(limiter.tryAcquireAsync(2));
    assertTrue(decision.allowed());
    assertEquals(DecisionSource.SERVICE, decision.source());
    assertEquals(2, service.checks.get(0).getCost());
    assertEquals(Verdict.VERDICT_ALLOW, answer(limiter.checkAsync(1)).getVerdict());
    assertTrue(answer(limiter.acquireAsync(1, SECOND)));
    Reservation place = answer(limiter.reserveAsync(1, SECOND)).orElseThrow();
    assertTrue(answer(place.settleAsync(1)));
  }

  @Test
  void denied_isAnAnswer_notAFailure() {
    service.check = request -> ScriptedLimits.denied(SECOND);
    service.reserve =
        request ->
            ReserveResponse.newBuilder()
                .setDecision(ScriptedLimits.denied(Duration.ofHours(1)))
                .build();
    LimiterDecision decision = answer(limiter.tryAcquireAsync(1));
    assertFalse(decision.allowed());
    assertEquals(Optional.of(SECOND), decision.retryAfter());
    assertEquals(DecisionSource.DENY_CACHE, answer(limiter.tryAcquireAsync(1)).source());
    assertEquals(Verdict.VERDICT_DENY, answer(limiter.checkAsync(1)).getVerdict());
    Limiter other = client.limits().of("api", "tenant", "other");
    assertFalse(answer(other.acquireAsync(1, SECOND)));
    assertEquals(Optional.empty(), answer(other.reserveAsync(1, SECOND)));
  }

  @ParameterizedTest
  @EnumSource(OnUnavailable.class)
  void serviceUnavailable_goesByTheMode_whereThereIsOne(OnUnavailable mode) {
    unavailable(Code.UNAVAILABLE);
    Limiter limiter = limiter(mode);
    boolean opens = mode == OnUnavailable.OPEN;
    LimiterDecision decision = answer(limiter.tryAcquireAsync(1));
    assertEquals(opens, decision.allowed());
    assertEquals(DecisionSource.UNAVAILABLE, decision.source());
    assertEquals(opens, answer(limiter.acquireAsync(1, SECOND)));
    assertEquals(Code.UNAVAILABLE, failure(limiter.checkAsync(1)).code());
    assertEquals(Code.UNAVAILABLE, failure(limiter.reserveAsync(1, SECOND)).code());
  }

  @ParameterizedTest
  @EnumSource(OnUnavailable.class)
  void refusal_isAFailure_whateverTheMode(OnUnavailable mode) {
    unavailable(Code.NOT_FOUND);
    Limiter limiter = limiter(mode);
    assertEquals(Code.NOT_FOUND, failure(limiter.tryAcquireAsync(1)).code());
    assertEquals(Code.NOT_FOUND, failure(limiter.acquireAsync(1, SECOND)).code());
    assertEquals(Code.NOT_FOUND, failure(limiter.checkAsync(1)).code());
    assertEquals(Code.NOT_FOUND, failure(limiter.reserveAsync(1, SECOND)).code());
  }

  @Test
  void cancelledWait_givesItsPlaceBack() {
    service.reserve = request -> ScriptedLimits.reserved(Duration.ofMillis(300), 1);
    CompletableFuture<Boolean> waiting = limiter.acquireAsync(1, SECOND);
    service.run("a place", () -> service.reserves.size() == 1);
    service.clock.runDue();
    waiting.cancel(false);
    service.run("it back", () -> service.settles.size() == 1);
    assertEquals(0, service.settles.get(0).getActualCost());
  }

  @Test
  void cancelledReservation_isGivenBack_whenItsAnswerComes() {
    service.gate = new CompletableFuture<>();
    CompletableFuture<Optional<Reservation>> reserving =
        limiter.reserveAsync(1, SECOND).toCompletableFuture();
    reserving.cancel(false);
    service.gate.complete(null);
    service.run("it back", () -> service.settles.size() == 1);
    assertEquals("place", service.settles.get(0).getReservationId());
  }

  @Test
  void cancelledDecision_isForItsCallerAlone() {
    service.gate = new CompletableFuture<>();
    CompletableFuture<LimiterDecision> first = limiter.tryAcquireAsync(1).toCompletableFuture();
    CompletableFuture<Decision> second = limiter.checkAsync(1).toCompletableFuture();
    first.cancel(false);
    service.gate.complete(null);
    assertEquals(Verdict.VERDICT_ALLOW, answer(second).getVerdict());
    assertTrue(first.isCancelled());
    assertTrue(answer(limiter.tryAcquireAsync(1)).allowed());
  }

  @ParameterizedTest
  @EnumSource(OnUnavailable.class)
  void closedClient_endsWhatIsInFlight_andWhatComesAfter(OnUnavailable mode) {
    Limiter limiter = limiter(mode);
    boolean opens = mode == OnUnavailable.OPEN;
    service.gate = new CompletableFuture<>();
    CompletableFuture<LimiterDecision> trying = limiter.tryAcquireAsync(1).toCompletableFuture();
    CompletableFuture<Decision> checking = limiter.checkAsync(1).toCompletableFuture();
    CompletableFuture<Boolean> waiting = limiter.acquireAsync(1, Duration.ofHours(1));
    CompletableFuture<Optional<Reservation>> reserving =
        limiter.reserveAsync(1, SECOND).toCompletableFuture();
    service.close(client);
    assertEquals(opens, answer(trying).allowed());
    assertEquals(opens, answer(waiting));
    assertCancelled(checking);
    assertCancelled(reserving);
    assertEquals(opens, answer(limiter.tryAcquireAsync(1)).allowed());
    assertEquals(opens, answer(limiter.acquireAsync(1, Duration.ofHours(1))));
    assertCancelled(limiter.checkAsync(1));
    assertCancelled(limiter.reserveAsync(1, SECOND));
  }

  @ParameterizedTest
  @EnumSource(OnUnavailable.class)
  void waiterForItsPlace_endsWithTheClient(OnUnavailable mode) {
    service.reserve = request -> ScriptedLimits.reserved(Duration.ofMinutes(30), 1);
    CompletableFuture<Boolean> waiting = limiter(mode).acquireAsync(1, Duration.ofHours(1));
    service.run("a place", () -> service.reserves.size() == 1);
    service.clock.runDue();
    service.close(client);
    assertEquals(mode == OnUnavailable.OPEN, answer(waiting));
  }

  /** The event loop of this client is the thread that moves the clock: the test's own. */
  @Test
  void callbacks_runOnBackgroundThreads_whereTheyMayBlock() {
    service.gate = new CompletableFuture<>();
    AtomicReference<Thread> on = new AtomicReference<>();
    CompletableFuture<Boolean> nested =
        limiter
            .tryAcquireAsync(1)
            .thenApply(
                decision -> {
                  on.set(Thread.currentThread());
                  return limiter.tryAcquire(); // waits for an answer that comes on the event loop
                })
            .toCompletableFuture();
    service.gate.complete(null);
    assertTrue(answer(nested));
    assertTrue(on.get().getName().startsWith("plinth-client-background"), on.get().getName());
  }

  @Test
  void callbackThatBlocksOrThrows_keepsNobodyElseWaiting() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    service.gate = new CompletableFuture<>();
    limiter
        .tryAcquireAsync(1)
        .thenAccept(
            decision -> {
              try {
                end.await();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    CompletableFuture<Void> thrown =
        limiter
            .tryAcquireAsync(1)
            .thenAccept(
                decision -> {
                  throw new IllegalArgumentException("of the application");
                })
            .toCompletableFuture();
    service.gate.complete(null);
    service.run("the callback that throws", thrown::isDone);
    assertTrue(answer(limiter.tryAcquireAsync(1)).allowed());
    end.countDown();
  }

  private Limiter limiter(OnUnavailable mode) {
    return client
        .limits(ScriptedLimits.patient().withoutLeases().onUnavailable(mode))
        .of("api", "tenant", "acme");
  }

  private void unavailable(Code code) {
    service.check =
        request -> {
          throw Status.fromCode(code).asRuntimeException();
        };
    service.reserve =
        request -> {
          throw Status.fromCode(code).asRuntimeException();
        };
  }

  /** Moves the clock, since a retry waits for it. */
  private <T> T answer(CompletionStage<T> stage) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    moveUntilDone(future);
    return future.join();
  }

  private void moveUntilDone(CompletableFuture<?> future) {
    service.run(
        "its end",
        () -> {
          service.clock.advance(Duration.ofMillis(10));
          return future.isDone();
        });
  }

  private CallFailedException failure(CompletionStage<?> stage) {
    CompletableFuture<?> future = stage.toCompletableFuture();
    AtomicReference<Throwable> told = new AtomicReference<>();
    future.whenComplete((value, failure) -> told.set(failure));
    moveUntilDone(future);
    service.run("the failure", () -> told.get() != null);
    assertInstanceOf(CallFailedException.class, told.get());
    ExecutionException thrown = assertThrows(ExecutionException.class, future::get);
    return assertInstanceOf(CallFailedException.class, thrown.getCause());
  }

  private void assertCancelled(CompletionStage<?> stage) {
    CompletableFuture<?> future = stage.toCompletableFuture();
    moveUntilDone(future);
    Throwable thrown = assertThrows(Exception.class, future::get);
    assertInstanceOf(
        CancellationException.class,
        thrown instanceof ExecutionException ? thrown.getCause() : thrown);
  }
}
