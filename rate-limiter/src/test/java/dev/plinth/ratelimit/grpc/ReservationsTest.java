package dev.plinth.ratelimit.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Duration;
import com.google.protobuf.util.Durations;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.ratelimit.v1.Algorithm;
import dev.plinth.ratelimit.v1.ReserveRequest;
import dev.plinth.ratelimit.v1.ReserveResponse;
import dev.plinth.ratelimit.v1.SettleRequest;
import dev.plinth.ratelimit.v1.SettleResponse;
import dev.plinth.ratelimit.v1.Verdict;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.Refusal;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Reserve and Settle. */
@OnEachBudgets
class ReservationsTest {
  private static final Duration HOUR = Durations.fromHours(1);

  @Parameter LimitServer server;
  private LimitCalls calls;

  @BeforeEach
  void begin() {
    calls = new LimitCalls(server);
  }

  private ReserveRequest.Builder wish(long cost) {
    return ReserveRequest.newBuilder().setDomain(calls.domain).setCost(cost).setMaxWait(HOUR);
  }

  private ReserveResponse reserve(ReserveRequest.Builder request) {
    return calls.limits().reserve(request.build());
  }

  private SettleRequest.Builder settle(ReserveResponse of, long actual) {
    return SettleRequest.newBuilder()
        .setDomain(calls.domain)
        .setReservationId(of.getReservationId())
        .setActualCost(actual);
  }

  @Test
  void reservation_takesAPlaceInTheFuture_asFarAsItMayWait() {
    calls.put(LimitCalls.bucket("all", 2));
    ReserveResponse now = reserve(wish(2));
    assertEquals(Verdict.VERDICT_ALLOW, now.getDecision().getVerdict());
    assertFalse(now.getReservationId().isEmpty());
    assertEquals(0, Durations.toMillis(now.getWait()));
    ReserveResponse later = reserve(wish(1));
    assertEquals(Verdict.VERDICT_ALLOW, later.getDecision().getVerdict());
    assertTrue(Durations.toMillis(later.getWait()) > Durations.toMillis(Durations.fromMinutes(55)));
    ReserveResponse none = reserve(wish(1));
    assertEquals(Verdict.VERDICT_DENY, none.getDecision().getVerdict());
    assertEquals("", none.getReservationId());
    assertTrue(none.getDecision().hasRetryAfter());
  }

  @Test
  void ruleWithoutAFuture_mustHaveRoomNow() {
    calls.put(
        LimitCalls.bucket("window", 1)
            .clearBurst()
            .setPeriod(Durations.fromDays(300))
            .setAlgorithm(Algorithm.ALGORITHM_FIXED_WINDOW));
    assertEquals(Verdict.VERDICT_ALLOW, reserve(wish(1)).getDecision().getVerdict());
    assertEquals(Verdict.VERDICT_DENY, reserve(wish(1)).getDecision().getVerdict());
  }

  @Test
  void settle_givesBackTheRest_orChargesTheExcess_once() {
    calls.put(LimitCalls.bucket("all", 10));
    ReserveResponse reserved = reserve(wish(6));
    assertEquals(4, calls.left("all"));
    SettleResponse settled = calls.limits().settle(settle(reserved, 2).build());
    assertEquals(SettleResponse.Outcome.OUTCOME_SETTLED, settled.getOutcome());
    assertEquals(4, settled.getRefunded());
    assertEquals(8, calls.left("all"));
    SettleResponse again = calls.limits().settle(settle(reserved, 0).build());
    assertEquals(SettleResponse.Outcome.OUTCOME_NOT_FOUND, again.getOutcome());
    assertEquals(0, again.getRefunded());
    ReserveResponse cheap = reserve(wish(1));
    assertEquals(-4, calls.limits().settle(settle(cheap, 5).build()).getRefunded());
    assertEquals(3, calls.left("all"));
  }

  @Test
  void reservation_canBeSettledForItsTtl_andStaysCharged() {
    calls.put(LimitCalls.bucket("all", 10));
    ReserveResponse brief = reserve(wish(6).setTtl(Durations.fromMillis(1)));
    Await.until(
        "it is too late",
        () ->
            calls.limits().settle(settle(brief, 6).build()).getOutcome()
                == SettleResponse.Outcome.OUTCOME_NOT_FOUND);
    assertEquals(4, calls.left("all"));
  }

  @Test
  void requestSentAgain_hasTheFirstAnswer() {
    calls.put(LimitCalls.bucket("all", 10));
    ReserveRequest.Builder once = wish(4).setRequestId("r");
    ReserveResponse reserved = reserve(once);
    assertEquals(reserved.getReservationId(), reserve(once).getReservationId());
    assertEquals(6, calls.left("all"));
    Refusal.of(() -> reserve(once.setCost(5)))
        .isOfField("request_id", ErrorReason.ERROR_REASON_REQUEST_ID_REUSED);
    SettleRequest.Builder settle = settle(reserved, 1).setRequestId("s");
    assertEquals(3, calls.limits().settle(settle.build()).getRefunded());
    assertEquals(3, calls.limits().settle(settle.build()).getRefunded());
    assertEquals(9, calls.left("all"));
    Refusal.of(() -> calls.limits().settle(settle.setActualCost(2).build()))
        .isOfField("request_id", ErrorReason.ERROR_REASON_REQUEST_ID_REUSED);
  }
}
