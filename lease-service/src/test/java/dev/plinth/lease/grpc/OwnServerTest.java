package dev.plinth.lease.grpc;

import static dev.plinth.lease.grpc.LeaseCalls.LONG;
import static dev.plinth.lease.grpc.LeaseCalls.async;
import static dev.plinth.lease.grpc.LeaseCalls.get;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse.Outcome;
import dev.plinth.lease.v1.ElectionServiceGrpc;
import dev.plinth.lease.v1.Leader;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.ObserveRequest;
import dev.plinth.lease.v1.ObserveResponse;
import dev.plinth.lease.v1.ProclaimRequest;
import dev.plinth.lease.v1.ProclaimResponse;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.RecordedStream;
import dev.plinth.testkit.call.Refusal;
import io.grpc.Status;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What needs a server with nobody else on it, or one of its own settings. */
class OwnServerTest {
  @Test
  void waitBeyondTheCapOnUnaryCalls_goesOnWithTheSameId() throws Exception {
    try (ShardServer server =
        ShardServer.embedded(LeaseWiring.WIRING, "--limits.unary-deadline=500ms")) {
      LeaseCalls calls = new LeaseCalls(server);
      Lease ann = calls.grant("ann");
      AcquireRequest bob = calls.wish("bob").setWait(LONG).setRequestId("b1").build();
      Refusal.of(() -> calls.leases().acquire(bob))
          .is(Status.Code.DEADLINE_EXCEEDED, ErrorReason.ERROR_REASON_DEADLINE_CAPPED);
      var cid = calls.stream(calls.streamWish("cid"));
      cid.next(events -> events.getQueued().getPosition() == 1);
      assertEquals(2, calls.key().getWaiters(), "yet his place is kept");
      var again = async(() -> calls.leases().acquire(bob));
      Await.until("bob listens again", () -> calls.acquire("eve").getPosition() == 3);
      calls.release(ann);
      assertEquals(Outcome.OUTCOME_GRANTED, get(again).getOutcome());
    }
  }

  @Test
  void observerThatDoesNotRead_isCutOff() throws Exception {
    try (ShardServer server = ShardServer.embedded(LeaseWiring.WIRING)) {
      LeaseCalls calls = new LeaseCalls(server);
      Leader leader =
          calls.campaign(calls.candidacy("boss", "ann", calls.session("ann"))).next().getElected();
      RecordedStream<ObserveRequest, ObserveResponse> slow = RecordedStream.slowly();
      ElectionServiceGrpc.newStub(calls.channel())
          .observe(
              ObserveRequest.newBuilder().setNamespace(calls.namespace).setElection("boss").build(),
              slow);
      slow.next();
      ProclaimRequest proclaim =
          ProclaimRequest.newBuilder()
              .setNamespace(calls.namespace)
              .setElection("boss")
              .setToken(leader.getToken())
              .setValue(ByteString.copyFrom(new byte[4 << 10]))
              .build();
      List<ListenableFuture<ProclaimResponse>> values = new ArrayList<>();
      for (int i = 0; i < 2500; i++) {
        values.add(ElectionServiceGrpc.newFutureStub(calls.channel()).proclaim(proclaim));
      }
      for (var value : values) {
        value.get();
      }
      slow.readOn();
      slow.lastly().isExhausted(ErrorReason.ERROR_REASON_WATCHER_TOO_SLOW);
    }
  }

  @Test
  void meters_follow() {
    try (ShardServer server = ShardServer.embedded(LeaseWiring.WIRING)) {
      LeaseCalls calls = new LeaseCalls(server);
      MeterRegistry meters = server.meters();
      Lease ann = calls.grant("ann");
      calls.acquire("bob");
      var waiting = calls.stream(calls.streamWish("bob"));
      waiting.next();
      assertEquals(1, meters.get("plinth.lease.held").gauge().value());
      assertEquals(1, meters.get("plinth.lease.waiting").gauge().value());
      calls.release(ann);
      waiting.next();
      assertEquals(0, meters.get("plinth.lease.waiting").gauge().value());
      assertEquals(1, meters.get("plinth.lease.acquire").tag("outcome", "HELD").timer().count());
      assertEquals(2, meters.get("plinth.lease.acquire").tag("outcome", "GRANTED").timer().count());
      assertEquals(1, meters.get("plinth.lease.hold").tag("cause", "RELEASED").timer().count());
      assertEquals(1, meters.get("plinth.lease.handoff").timer().count());
      calls.session("ann");
      assertEquals(1, meters.get("plinth.lease.sessions").gauge().value());
      assertTrue(meters.get("plinth.shards.commit").timer().count() >= 2);
      assertEquals(4, meters.get("plinth.shards.served").gauge().value());
    }
  }
}
