package dev.plinth.ratelimit.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.ratelimit.v1.AcquireSlotRequest;
import dev.plinth.ratelimit.v1.AcquireSlotResponse;
import dev.plinth.ratelimit.v1.AcquireSlotResponse.Outcome;
import dev.plinth.ratelimit.v1.DecidedBy;
import dev.plinth.ratelimit.v1.ReleaseSlotRequest;
import dev.plinth.ratelimit.v1.ReleaseSlotResponse;
import dev.plinth.ratelimit.v1.RenewSlotRequest;
import dev.plinth.ratelimit.v1.RenewSlotResponse;
import dev.plinth.ratelimit.v1.Rule;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.Refusal;
import io.grpc.Status;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** AcquireSlot, RenewSlot and ReleaseSlot. */
@OnEachBudgets
class SlotsTest {
  @Parameter LimitServer server;
  private LimitCalls calls;

  @BeforeEach
  void begin() {
    calls = new LimitCalls(server);
  }

  private AcquireSlotRequest.Builder wish(String... keysAndValues) {
    return AcquireSlotRequest.newBuilder()
        .setDomain(calls.domain)
        .setHolder("ann")
        .addAllDescriptors(LimitCalls.descriptors(keysAndValues));
  }

  private AcquireSlotResponse acquire(AcquireSlotRequest.Builder request) {
    return calls.limits().acquireSlot(request.build());
  }

  private ReleaseSlotResponse.Outcome release(AcquireSlotResponse of) {
    return calls.limits().releaseSlot(released(of).build()).getOutcome();
  }

  private ReleaseSlotRequest.Builder released(AcquireSlotResponse of) {
    return ReleaseSlotRequest.newBuilder()
        .setDomain(calls.domain)
        .setSlotId(of.getSlot().getSlotId());
  }

  private RenewSlotResponse renew(AcquireSlotResponse of) {
    return calls
        .limits()
        .renewSlot(
            RenewSlotRequest.newBuilder()
                .setDomain(calls.domain)
                .setSlotId(of.getSlot().getSlotId())
                .setTtl(Durations.fromSeconds(60))
                .build());
  }

  @Test
  void places_areGivenUntilAllAreTaken_withRisingTokens() {
    calls.put(LimitCalls.slots("jobs", 2));
    AcquireSlotResponse first = acquire(wish());
    assertEquals(Outcome.OUTCOME_ACQUIRED, first.getOutcome());
    assertEquals(DecidedBy.DECIDED_BY_STORE, first.getDecidedBy());
    assertEquals(1, first.getPolicyVersion());
    assertEquals(1, first.getLimits(0).getRemaining());
    assertTrue(Durations.toSeconds(first.getSlot().getValidFor()) <= 30);
    AcquireSlotResponse second = acquire(wish());
    assertTrue(second.getSlot().getToken() > first.getSlot().getToken());
    AcquireSlotResponse full = acquire(wish());
    assertEquals(Outcome.OUTCOME_FULL, full.getOutcome());
    assertTrue(full.hasRetryAfter());
    assertTrue(full.getLimits(0).getOver());
    assertEquals(ReleaseSlotResponse.Outcome.OUTCOME_RELEASED, release(first));
    assertEquals(ReleaseSlotResponse.Outcome.OUTCOME_NOT_HELD, release(first));
    AcquireSlotResponse third = acquire(wish());
    assertEquals(Outcome.OUTCOME_ACQUIRED, third.getOutcome());
    assertTrue(third.getSlot().getToken() > second.getSlot().getToken());
  }

  @Test
  void everyConcurrencyRuleThatMatches_mustHaveAPlace() {
    Rule.Builder perUser = LimitCalls.slots("per-user", 1);
    perUser.addMatchBuilder().setKey("user");
    calls.put(LimitCalls.slots("all", 2), perUser, LimitCalls.bucket("checks", 1));
    acquire(wish("user", "ann"));
    assertEquals(Outcome.OUTCOME_FULL, acquire(wish("user", "ann")).getOutcome());
    assertEquals(Outcome.OUTCOME_ACQUIRED, acquire(wish("user", "bob")).getOutcome());
    assertEquals(Outcome.OUTCOME_FULL, acquire(wish("user", "cat")).getOutcome());
  }

  @Test
  void placeNotRenewed_isGivenToTheNext_andItsHolderIsTold() {
    calls.put(LimitCalls.slots("jobs", 1));
    AcquireSlotResponse brief = acquire(wish().setTtl(Durations.fromMillis(100)));
    Await.until(
        "the place is free", () -> acquire(wish()).getOutcome() == Outcome.OUTCOME_ACQUIRED);
    assertEquals(RenewSlotResponse.Outcome.OUTCOME_LOST, renew(brief).getOutcome());
    assertEquals(ReleaseSlotResponse.Outcome.OUTCOME_NOT_HELD, release(brief));
  }

  @Test
  void renewal_keepsThePlace() {
    calls.put(LimitCalls.slots("jobs", 1));
    AcquireSlotResponse held = acquire(wish().setTtl(Durations.fromSeconds(20)));
    RenewSlotResponse renewed = renew(held);
    assertEquals(RenewSlotResponse.Outcome.OUTCOME_RENEWED, renewed.getOutcome());
    assertEquals(60, Durations.toSeconds(renewed.getValidFor()));
    AcquireSlotResponse full = acquire(wish());
    assertTrue(Durations.toSeconds(full.getRetryAfter()) > 30, "until the renewed time");
  }

  @Test
  void noConcurrencyRule_isRefused() {
    calls.put(LimitCalls.bucket("checks", 1));
    Refusal.of(() -> acquire(wish()))
        .is(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_NO_RULE);
  }

  @Test
  void requestSentAgain_isTheSamePlace() {
    calls.put(LimitCalls.slots("jobs", 2));
    AcquireSlotRequest.Builder once = wish().setRequestId("a");
    AcquireSlotResponse held = acquire(once);
    assertEquals(held.getSlot().getSlotId(), acquire(once).getSlot().getSlotId());
    assertEquals(held.getSlot().getToken(), acquire(once).getSlot().getToken());
    assertEquals(1, calls.inspect().getKeys(0).getSlots());
    Refusal.of(() -> acquire(once.setHolder("bob")))
        .isOfField("request_id", ErrorReason.ERROR_REASON_REQUEST_ID_REUSED);
    ReleaseSlotRequest.Builder release = released(held).setRequestId("r");
    for (int i = 0; i < 2; i++) {
      assertEquals(
          ReleaseSlotResponse.Outcome.OUTCOME_RELEASED,
          calls.limits().releaseSlot(release.build()).getOutcome());
    }
    Refusal.of(() -> calls.limits().releaseSlot(release.setSlotId("other").build()))
        .isOfField("request_id", ErrorReason.ERROR_REASON_REQUEST_ID_REUSED);
  }
}
