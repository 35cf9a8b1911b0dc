package dev.plinth.lease.grpc;

import static dev.plinth.lease.grpc.LeaseCalls.BRIEF;
import static dev.plinth.lease.grpc.LeaseCalls.KEY;
import static dev.plinth.lease.grpc.LeaseCalls.LONG;
import static dev.plinth.lease.grpc.LeaseCalls.async;
import static dev.plinth.lease.grpc.LeaseCalls.get;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import com.google.protobuf.util.Durations;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.AcquireResponse.Outcome;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.Mode;
import dev.plinth.lease.v1.ReleaseResponse;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.Refusal;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Acquire: every outcome, waits, and requests sent again. */
@OnEachStore(LeaseWiring.class)
class AcquireTest {
  @Parameter ShardServer server;
  private LeaseCalls calls;

  @BeforeEach
  void begin() {
    calls = new LeaseCalls(server);
  }

  @Test
  void acquire_ofAFreeKey_isGranted_asAsked() {
    Lease lease =
        calls.grant(
            calls
                .wish("ann")
                .setTtl(Durations.fromMillis(2500))
                .setPayload(ByteString.copyFromUtf8("p")));
    assertEquals(calls.namespace, lease.getNamespace());
    assertEquals(KEY, lease.getKey());
    assertEquals("ann", lease.getOwnerId());
    assertEquals("", lease.getSessionId());
    assertEquals(Durations.fromMillis(2500), lease.getTtl());
    assertEquals(Mode.MODE_EXCLUSIVE, lease.getMode());
    assertEquals("p", lease.getPayload().toStringUtf8());
    assertEquals(1, lease.getPayloadVersion());
    assertEquals(1, lease.getEntries());
    assertTrue(lease.getToken() > 0);
    assertTrue(lease.hasAcquiredAt());
    Lease byDefault = calls.grant(calls.wish("ann").setKey("other"));
    assertEquals(Durations.fromSeconds(10), byDefault.getTtl());
    assertTrue(byDefault.getToken() > lease.getToken(), "over all keys of the namespace");
  }

  @Test
  void acquire_ofAHeldKey_isAnOutcome_withTheHolders() {
    Lease held = calls.grant("ann");
    AcquireResponse answer = calls.acquire("bob");
    assertEquals(Outcome.OUTCOME_HELD, answer.getOutcome());
    assertEquals(held, answer.getHolders(0));
    assertEquals(1, answer.getPosition());
  }

  @Test
  void acquire_byTheHolder_isReentry_andTakesAsManyReleases() {
    Lease held = calls.grant("ann");
    AcquireResponse again = calls.acquire("ann");
    assertEquals(Outcome.OUTCOME_REENTERED, again.getOutcome());
    assertEquals(held.getToken(), again.getLease().getToken());
    assertEquals(2, again.getLease().getEntries());
    assertEquals(ReleaseResponse.Outcome.OUTCOME_STILL_HELD, calls.release(held));
    assertEquals(ReleaseResponse.Outcome.OUTCOME_RELEASED, calls.release(held));
    assertEquals(ReleaseResponse.Outcome.OUTCOME_NOT_HELD, calls.release(held));
  }

  @Test
  void acquire_inAnotherSession_isNoReentry() {
    calls.grant(calls.wish("ann").setSessionId(calls.session("ann")));
    assertEquals(Outcome.OUTCOME_HELD, calls.acquire("ann").getOutcome());
  }

  @Test
  void acquire_thatWaitsInVain_timesOut_atItsPosition() throws Exception {
    calls.grant("ann");
    var bob = async(() -> calls.leases().acquire(calls.wish("bob").setWait(LONG).build()));
    Await.until("bob is in line", () -> calls.key().getWaiters() == 1);
    AcquireResponse cid = calls.leases().acquire(calls.wish("cid").setWait(BRIEF).build());
    assertEquals(Outcome.OUTCOME_TIMED_OUT, cid.getOutcome());
    assertEquals("ann", cid.getHolders(0).getOwnerId());
    assertEquals(2, cid.getPosition());
    assertEquals(1, calls.key().getWaiters());
    calls.leases().forceRelease(calls.force(KEY).build());
    assertEquals(Outcome.OUTCOME_GRANTED, get(bob).getOutcome());
  }

  @Test
  void acquire_afterALoss_isDelayed_exceptForTheLostOwner() {
    calls.grant(calls.wish("ann").setTtl(BRIEF).setLockDelay(LONG));
    Await.until("it expired", () -> calls.key().getHoldersCount() == 0);
    AcquireResponse bob = calls.acquire("bob");
    assertEquals(Outcome.OUTCOME_DELAYED, bob.getOutcome());
    assertTrue(Durations.isPositive(bob.getRetryAfter()));
    assertTrue(Durations.compare(bob.getRetryAfter(), LONG) <= 0);
    server.restart();
    assertEquals(Outcome.OUTCOME_DELAYED, calls.acquire("bob").getOutcome());
    calls.grant("ann");
  }

  @Test
  void acquire_waits_andIsHandedTheKey_underAHigherToken() throws Exception {
    Lease ann = calls.grant("ann");
    var bob = async(() -> calls.leases().acquire(calls.wish("bob").setWait(LONG).build()));
    Await.until("bob is in line", () -> calls.key().getWaiters() == 1);
    calls.release(ann);
    AcquireResponse answer = get(bob);
    assertEquals(Outcome.OUTCOME_GRANTED, answer.getOutcome());
    assertTrue(answer.getLease().getToken() > ann.getToken());
  }

  @Test
  void position_isThePlaceThatWaitingWouldHaveGiven_byPriority() {
    calls.grant("ann");
    for (int priority : new int[] {0, 5}) {
      calls.stream(calls.streamWish("w" + priority).setPriority(priority)).next();
    }
    for (var expected : Map.of(-1, 3, 0, 3, 3, 2, 5, 2, 9, 1).entrySet()) {
      AcquireResponse held =
          calls.leases().acquire(calls.wish("bob").setPriority(expected.getKey()).build());
      assertEquals(expected.getValue(), held.getPosition(), "priority " + expected.getKey());
    }
  }

  @Test
  void sharedHolders_goTogether_andWidenOnlyAlone() {
    Lease ann = calls.grant(calls.wish("ann").setMode(Mode.MODE_SHARED));
    Lease bob = calls.grant(calls.wish("bob").setMode(Mode.MODE_SHARED));
    assertEquals(2, calls.key().getHoldersCount());
    assertEquals(Outcome.OUTCOME_HELD, calls.acquire("eve").getOutcome());
    assertEquals(Outcome.OUTCOME_HELD, calls.acquire("ann").getOutcome(), "wider, beside another");
    calls.release(bob);
    AcquireResponse wider = calls.acquire("ann");
    assertEquals(Outcome.OUTCOME_REENTERED, wider.getOutcome());
    assertEquals(Mode.MODE_EXCLUSIVE, wider.getLease().getMode());
    assertEquals(ann.getToken(), wider.getLease().getToken());
  }

  @Test
  void waiterWhoseCallEnds_leavesTheLine() {
    calls.grant("ann");
    var bob = future(calls.wish("bob").setWait(LONG).build());
    Await.until("bob is in line", () -> calls.key().getWaiters() == 1);
    bob.cancel(true);
    Await.until("bob has left", () -> calls.key().getWaiters() == 0);
  }

  @Test
  void waiterThatComesBack_withItsRequestId_keepsItsPlace() throws Exception {
    Lease ann = calls.grant("ann");
    AcquireRequest bob = calls.wish("bob").setWait(LONG).setRequestId("b1").build();
    var gone = future(bob);
    Await.until("bob is in line", () -> calls.key().getWaiters() == 1);
    var cid = calls.stream(calls.streamWish("cid"));
    assertEquals(2, cid.next().getQueued().getPosition());
    gone.cancel(true);
    assertEquals(1, cid.next().getQueued().getPosition(), "bob is passed over");
    assertEquals(2, calls.key().getWaiters(), "yet his place is kept");
    var again = future(bob);
    Await.until("bob listens again", () -> calls.acquire("eve").getPosition() == 3);
    calls.release(ann);
    assertEquals(Outcome.OUTCOME_GRANTED, again.get().getOutcome());
    cid.cancel();
  }

  private ListenableFuture<AcquireResponse> future(AcquireRequest request) {
    return LeaseServiceGrpc.newFutureStub(calls.channel()).acquire(request);
  }

  @Test
  void V7_requestSentAgain_getsItsFirstAnswer_overARestartToo() {
    AcquireRequest request = calls.wish("ann").setTtl(LONG).setRequestId("r1").build();
    AcquireResponse first = calls.leases().acquire(request);
    assertEquals(first, calls.leases().acquire(request));
    server.restart();
    assertEquals(first, calls.leases().acquire(request));
    assertEquals(1, calls.key().getHolders(0).getEntries());
    Refusal.of(() -> calls.leases().acquire(request.toBuilder().setOwnerId("bob").build()))
        .isOfField("request_id", ErrorReason.ERROR_REASON_REQUEST_ID_REUSED);
  }

  @Test
  void requestIds_areOfTheirNamespace() {
    calls.grant(calls.wish("ann").setRequestId("r1"));
    LeaseCalls other = new LeaseCalls(server);
    other.grant(other.wish("bob").setRequestId("r1"));
  }

  @Test
  void leases_surviveARestart_andTokensGoOnRising() {
    Lease lease =
        calls.grant(calls.wish("ann").setTtl(LONG).setPayload(ByteString.copyFromUtf8("p")));
    server.restart();
    Lease found = calls.key().getHolders(0);
    assertEquals(lease.toBuilder().clearAcquiredAt().build(), withoutTime(found));
    assertEquals(ReleaseResponse.Outcome.OUTCOME_RELEASED, calls.release(lease));
    assertTrue(calls.grant("bob").getToken() > lease.getToken());
  }

  private static Lease withoutTime(Lease lease) {
    return lease.toBuilder().clearAcquiredAt().build();
  }

  @Test
  void namespaces_areApart() {
    calls.grant("ann");
    new LeaseCalls(server).grant("bob");
  }
}
