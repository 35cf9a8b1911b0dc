package dev.plinth.client.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.plinth.client.PlinthClient;
import dev.plinth.client.internal.ClientWire;
import dev.plinth.ratelimit.v1.AcquireSlotResponse;
import dev.plinth.ratelimit.v1.RenewSlotResponse;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Slots of 12 s, by a clock that stands still: a pass each second, renewed from 4 s on. */
class ConcurrencyServerInterceptorTest {
  private static final Duration TTL = Duration.ofSeconds(12);

  private final ScriptedLimits service = new ScriptedLimits();
  private final PlinthClient client = service.manualClient().build();
  private GuardedServer server =
      server(client.limits(ScriptedLimits.patient().onUnavailable(OnUnavailable.OPEN)));

  ConcurrencyServerInterceptorTest() {
    service.slot = request -> acquired();
    service.renew =
        request ->
            RenewSlotResponse.newBuilder()
                .setOutcome(RenewSlotResponse.Outcome.OUTCOME_RENEWED)
                .setValidFor(ClientWire.duration(TTL))
                .build();
  }

  @AfterEach
  void stop() {
    server.close();
    service.close();
  }

  @Test
  void call_takesASlot_andGivesItBackOnce() {
    GuardedServer.Talk talk = server.talk(new Metadata()).say("hello");
    service.run("it runs", () -> server.heard.size() == 1);
    assertEquals(0, service.releases.size());
    assertEquals(7, ConcurrencyServerInterceptor.TOKEN.get(server.last));
    assertEquals(TTL, ClientWire.duration(service.slots.get(0).getTtl()));
    talk.finish();
    assertEquals(Code.OK, service.answer(talk.ended).getCode());
    assertReleasedOnce();
  }

  @Test
  void cancelledCall_givesItBackOnce() {
    GuardedServer.Talk talk = server.talk(new Metadata()).say("hello");
    service.run("it runs", () -> server.heard.size() == 1);
    talk.cancel();
    service.run("it is told", () -> server.heard.contains("cancelled"));
    assertReleasedOnce();
  }

  @Test
  void handlerThatFails_givesItBackOnce() {
    server.onWord =
        word -> {
          throw new IllegalStateException("bad word");
        };
    GuardedServer.Talk talk = server.talk(new Metadata()).say("hello");
    assertEquals(Code.UNKNOWN, service.answer(talk.ended).getCode());
    assertReleasedOnce();
  }

  @Test
  void callThatItsHandlerEnds_givesItBackOnce() {
    server.onWord =
        word -> {
          server.ended = true;
          server.talks.get(0).onError(Status.INVALID_ARGUMENT.asRuntimeException());
        };
    GuardedServer.Talk talk = server.talk(new Metadata()).say("hello");
    assertEquals(Code.INVALID_ARGUMENT, service.answer(talk.ended).getCode());
    assertReleasedOnce();
  }

  /** Its caller may take long to read the answer; the work is done. */
  @Test
  void callThatIsClosed_givesItBack_beforeItIsComplete() {
    List<String> log = new CopyOnWriteArrayList<>();
    interceptor(client.limits(ScriptedLimits.patient()))
        .interceptCall(
            new NoCall(log),
            new Metadata(),
            (call, headers) -> {
              call.close(Status.OK, new Metadata());
              return new ServerCall.Listener<>() {};
            });
    service.run("closed", () -> log.contains("closed OK"));
    assertReleasedOnce();
  }

  @Test
  void cancelledWhileItWaits_neverRuns_andGivesItsSlotBack() {
    service.gate = new CompletableFuture<>();
    GuardedServer.Talk talk = server.talk(new Metadata()).say("hello");
    service.run("asked", () -> service.slots.size() == 1);
    talk.cancel();
    server.talk(new Metadata()).finish(); // its start comes after the cancel, on the one thread
    service.run("asked again", () -> service.slots.size() == 2);
    service.gate.complete(null);
    service.run("both back", () -> service.releases.size() == 2);
    assertEquals(List.of(), server.heard);
  }

  @Test
  void full_endsTheCall_beforeItsHandler() throws Exception {
    service.slot =
        request ->
            AcquireSlotResponse.newBuilder()
                .setOutcome(AcquireSlotResponse.Outcome.OUTCOME_FULL)
                .setRetryAfter(ClientWire.duration(Duration.ofSeconds(3)))
                .build();
    GuardedServer.Talk talk = server.talk(new Metadata()).say("hello");
    assertEquals(Code.RESOURCE_EXHAUSTED, service.answer(talk.ended).getCode());
    List<Any> details =
        StatusProto.fromStatusAndTrailers(talk.ended.join(), talk.trailers).getDetailsList();
    assertEquals("QUOTA_EXCEEDED", details.get(0).unpack(ErrorInfo.class).getReason());
    RetryInfo retry = details.get(details.size() - 1).unpack(RetryInfo.class);
    assertEquals(3, retry.getRetryDelay().getSeconds());
    assertEquals(0, server.talks.size());
    assertEquals(0, service.releases.size());
  }

  @Test
  void longCall_isRenewed_untilItEnds() {
    GuardedServer.Talk talk = server.talk(new Metadata()).say("hello");
    service.run("it runs", () -> server.heard.size() == 1);
    service.clock.advance(Duration.ofSeconds(3));
    assertEquals(0, service.renewals.size());
    pass(60);
    assertTrue(service.renewals.size() >= 60 / 5, "renewals: " + service.renewals.size());
    assertFalse(server.last.isCancelled());
    talk.finish();
    service.answer(talk.ended);
    assertReleasedOnce();
    int renewals = service.renewals.size();
    pass(30);
    assertEquals(renewals, service.renewals.size());
  }

  @Test
  void lostSlot_cancelsTheHandlersContext_andIsNotReleased() {
    GuardedServer.Talk talk = server.talk(new Metadata()).say("hello");
    service.run("it runs", () -> server.heard.size() == 1);
    service.renew =
        request ->
            RenewSlotResponse.newBuilder()
                .setOutcome(RenewSlotResponse.Outcome.OUTCOME_LOST)
                .build();
    pass(6);
    service.run("it is lost", () -> server.last.isCancelled());
    talk.finish();
    service.answer(talk.ended);
    assertEquals(0, service.releases.size());
  }

  @Test
  void slotThatCannotBeRenewed_isLostInTime_andReleasedAtTheEnd() {
    GuardedServer.Talk talk = server.talk(new Metadata()).say("hello");
    service.run("it runs", () -> server.heard.size() == 1);
    service.renew =
        request -> {
          throw Status.UNAVAILABLE.asRuntimeException();
        };
    pass(10);
    assertFalse(server.last.isCancelled());
    pass(1); // 10.8 of its 12 s are over
    service.run("it is lost", () -> server.last.isCancelled());
    talk.finish();
    service.answer(talk.ended);
    assertReleasedOnce();
  }

  @Test
  void lostAnswer_isFoundOut_andGivenBack() {
    service.slot =
        request -> {
          if (service.slots.size() == 1) {
            throw Status.UNAVAILABLE.asRuntimeException();
          }
          return acquired();
        };
    GuardedServer.Talk talk = server.talk(new Metadata()).say("hello").finish();
    assertEquals(Code.OK, service.answer(talk.ended).getCode()); // it failed open
    service.run("the same again", () -> advanced() && service.slots.size() == 2);
    assertEquals(service.slots.get(0), service.slots.get(1));
    assertReleasedOnce();
  }

  @Test
  void noRule_boundsNothing() {
    service.slot =
        request -> {
          throw refusal("NO_RULE");
        };
    GuardedServer.Talk talk = server.talk(new Metadata()).say("hello").finish();
    assertEquals(Code.OK, service.answer(talk.ended).getCode());
    assertEquals(0, service.releases.size());
  }

  /** A caller can bring it about, so it never opens. */
  @Test
  void descriptorsThatAreRefused_endTheCall_whateverTheMode() {
    service.slot =
        request -> {
          throw Status.INVALID_ARGUMENT.asRuntimeException();
        };
    GuardedServer.Talk talk = server.talk(new Metadata()).say("hello").finish();
    assertEquals(Code.INVALID_ARGUMENT, service.answer(talk.ended).getCode());
    assertEquals(0, server.talks.size());
  }

  @Test
  void closedMode_endsTheCall_whereNobodyAnswers() {
    server.close();
    server = server(client.limits(ScriptedLimits.patient().onUnavailable(OnUnavailable.CLOSED)));
    service.slot =
        request -> {
          throw refusal("POLICY_UNKNOWN");
        };
    GuardedServer.Talk talk = server.talk(new Metadata()).say("hello").finish();
    assertEquals(Code.UNAVAILABLE, service.answer(talk.ended).getCode());
    assertEquals(0, server.talks.size());
  }

  private static GuardedServer server(RateLimitClient rateLimitClient) {
    return new GuardedServer(interceptor(rateLimitClient));
  }

  private static ConcurrencyServerInterceptor interceptor(RateLimitClient rateLimitClient) {
    return ConcurrencyServerInterceptor.of(
        rateLimitClient, "api", (call, headers) -> Optional.of(Map.of("route", "talk")), TTL);
  }

  private static AcquireSlotResponse acquired() {
    return AcquireSlotResponse.newBuilder()
        .setOutcome(AcquireSlotResponse.Outcome.OUTCOME_ACQUIRED)
        .setSlot(
            dev.plinth.ratelimit.v1.Slot.newBuilder()
                .setSlotId("slot")
                .setToken(7)
                .setValidFor(ClientWire.duration(TTL)))
        .build();
  }

  private static StatusRuntimeException refusal(String reason) {
    return StatusProto.toStatusRuntimeException(
        com.google.rpc.Status.newBuilder()
            .setCode(com.google.rpc.Code.FAILED_PRECONDITION_VALUE)
            .addDetails(
                Any.pack(ErrorInfo.newBuilder().setDomain("plinth.dev").setReason(reason).build()))
            .build());
  }

  private void pass(int seconds) {
    for (int i = 0; i < seconds; i++) {
      service.clock.advance(Duration.ofSeconds(1));
    }
  }

  private boolean advanced() {
    service.clock.advance(Duration.ofMillis(10));
    return true;
  }

  private void assertReleasedOnce() {
    service.run("released", () -> service.releases.size() == 1);
    pass(2);
    assertEquals(1, service.releases.size());
    assertEquals("slot", service.releases.get(0).getSlotId());
  }
}
