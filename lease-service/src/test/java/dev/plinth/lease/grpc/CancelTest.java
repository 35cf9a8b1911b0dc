package dev.plinth.lease.grpc;

import static dev.plinth.lease.grpc.LeaseCalls.KEY;
import static dev.plinth.lease.grpc.LeaseCalls.LONG;
import static dev.plinth.lease.grpc.LeaseCalls.async;
import static dev.plinth.lease.grpc.LeaseCalls.get;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.AcquireResponse.Outcome;
import dev.plinth.lease.v1.AcquireSetItem;
import dev.plinth.lease.v1.AcquireSetRequest;
import dev.plinth.lease.v1.AcquireSetResponse;
import dev.plinth.lease.v1.Lease;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.Refusal;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Requests to acquire that are cancelled by their request id. */
@OnEachStore(LeaseWiring.class)
class CancelTest {
  @Parameter ShardServer server;
  private LeaseCalls calls;

  @BeforeEach
  void begin() {
    calls = new LeaseCalls(server);
  }

  @Test
  void cancel_ofAWait_leavesTheLine_andBothAreToldSo() throws Exception {
    Lease held = calls.grant("ann");
    AcquireRequest bob = calls.wish("bob").setRequestId("r").setWait(LONG).build();
    CompletableFuture<AcquireResponse> waiting = async(() -> calls.leases().acquire(bob));
    Await.until("bob is in line", () -> calls.key().getWaiters() == 1);
    assertEquals(Outcome.OUTCOME_TIMED_OUT, cancel(bob).getOutcome());
    assertEquals(0, calls.key().getWaiters());
    assertEquals(Outcome.OUTCOME_TIMED_OUT, get(waiting).getOutcome());
    assertEquals(held.getToken(), calls.key().getHolders(0).getToken());
  }

  @Test
  void cancel_ofWhatWasGranted_tellsTheGrant_andTakesNothing() {
    AcquireRequest bob = calls.wish("bob").setRequestId("r").setWait(LONG).build();
    Lease lease = calls.leases().acquire(bob).getLease();
    AcquireResponse answer = cancel(bob);
    assertEquals(Outcome.OUTCOME_GRANTED, answer.getOutcome());
    assertEquals(lease.getToken(), answer.getLease().getToken());
    assertEquals(1, calls.key().getHolders(0).getEntries());
  }

  @Test
  void cancel_thatOvertakesItsRequest_keepsItFromBeingGranted() {
    AcquireRequest bob = calls.wish("bob").setRequestId("r").setWait(LONG).build();
    assertEquals(Outcome.OUTCOME_TIMED_OUT, cancel(bob).getOutcome());
    assertEquals(Outcome.OUTCOME_TIMED_OUT, calls.leases().acquire(bob).getOutcome());
    assertEquals(0, calls.key().getHoldersCount());
  }

  @Test
  void cancel_ofASet_leavesAllLines() throws Exception {
    calls.grant("ann");
    AcquireSetRequest bob =
        AcquireSetRequest.newBuilder()
            .setNamespace(calls.namespace)
            .setOwnerId("bob")
            .addItems(AcquireSetItem.newBuilder().setKey(KEY))
            .addItems(AcquireSetItem.newBuilder().setKey("other"))
            .setRequestId("r")
            .setWait(LONG)
            .build();
    CompletableFuture<AcquireSetResponse> waiting = async(() -> calls.leases().acquireSet(bob));
    Await.until("bob is in line", () -> calls.key("other").getWaiters() == 1);
    AcquireSetResponse answer =
        calls.leases().acquireSet(bob.toBuilder().clearWait().setCancel(true).build());
    assertEquals(AcquireSetResponse.Outcome.OUTCOME_TIMED_OUT, answer.getOutcome());
    assertEquals(0, calls.key().getWaiters());
    assertEquals(0, calls.key("other").getWaiters());
    assertEquals(AcquireSetResponse.Outcome.OUTCOME_TIMED_OUT, get(waiting).getOutcome());
  }

  @Test
  void cancel_thatIsRefusedForItsContent_changesNothing() throws Exception {
    Lease held = calls.grant("ann");
    AcquireRequest bob = calls.wish("bob").setRequestId("r").setWait(LONG).setTtl(LONG).build();
    CompletableFuture<AcquireResponse> waiting = async(() -> calls.leases().acquire(bob));
    Await.until("bob is in line", () -> calls.key().getWaiters() == 1);
    for (AcquireRequest.Builder other :
        List.of(bob.toBuilder().setOwnerId("eve"), bob.toBuilder().setKey("other"))) {
      Refusal.of(() -> cancel(other.build()))
          .isOfField("request_id", ErrorReason.ERROR_REASON_REQUEST_ID_REUSED);
    }
    // What the cancels left to be done runs before this, which comes after them.
    assertEquals(1, calls.key().getWaiters());
    calls.release(held);
    assertEquals(Outcome.OUTCOME_GRANTED, get(waiting).getOutcome());
  }

  @Test
  void cancel_thatOvertakesItsRequest_holdsOverARestart() {
    try (ShardServer own = ShardServer.embedded(LeaseWiring.WIRING)) {
      calls = new LeaseCalls(own);
      AcquireRequest bob = calls.wish("bob").setRequestId("r").setTtl(LONG).build();
      assertEquals(Outcome.OUTCOME_TIMED_OUT, cancel(bob).getOutcome());
      own.restart();
      assertEquals(Outcome.OUTCOME_TIMED_OUT, calls.leases().acquire(bob).getOutcome());
      assertEquals(0, calls.key().getHoldersCount());
    }
  }

  @Test
  void cancel_ofAWait_holdsOverARestart() throws Exception {
    try (ShardServer own = ShardServer.embedded(LeaseWiring.WIRING)) {
      calls = new LeaseCalls(own);
      Lease held = calls.grant("ann");
      AcquireRequest bob = calls.wish("bob").setRequestId("r").setWait(LONG).setTtl(LONG).build();
      CompletableFuture<AcquireResponse> waiting = async(() -> calls.leases().acquire(bob));
      Await.until("bob is in line", () -> calls.key().getWaiters() == 1);
      assertEquals(Outcome.OUTCOME_TIMED_OUT, cancel(bob).getOutcome());
      assertEquals(Outcome.OUTCOME_TIMED_OUT, get(waiting).getOutcome());
      own.restart();
      calls.release(held);
      assertEquals(Outcome.OUTCOME_TIMED_OUT, calls.leases().acquire(bob).getOutcome());
      assertEquals(0, calls.key().getHoldersCount());
    }
  }

  @Test
  void cancel_withoutARequestId_isRefused() {
    StatusRuntimeException refused =
        assertThrows(StatusRuntimeException.class, () -> cancel(calls.wish("bob").build()));
    assertEquals(Code.INVALID_ARGUMENT, refused.getStatus().getCode());
  }

  private AcquireResponse cancel(AcquireRequest request) {
    return calls.leases().acquire(request.toBuilder().clearWait().setCancel(true).build());
  }
}
