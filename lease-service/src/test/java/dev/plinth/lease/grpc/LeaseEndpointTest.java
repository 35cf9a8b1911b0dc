package dev.plinth.lease.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.Durations;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.AcquireResponse.Outcome;
import dev.plinth.lease.v1.CloseSessionRequest;
import dev.plinth.lease.v1.ConfirmRequest;
import dev.plinth.lease.v1.ConfirmResponse;
import dev.plinth.lease.v1.ForceReleaseRequest;
import dev.plinth.lease.v1.GetFenceRequest;
import dev.plinth.lease.v1.GetLeaseRequest;
import dev.plinth.lease.v1.GetLeaseResponse;
import dev.plinth.lease.v1.HeartbeatRequest;
import dev.plinth.lease.v1.KeepSessionRequest;
import dev.plinth.lease.v1.KeepSessionResponse;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceBlockingStub;
import dev.plinth.lease.v1.ListLeasesRequest;
import dev.plinth.lease.v1.ListLeasesResponse;
import dev.plinth.lease.v1.ListWaitersRequest;
import dev.plinth.lease.v1.Mode;
import dev.plinth.lease.v1.OpenSessionRequest;
import dev.plinth.lease.v1.RaiseFenceRequest;
import dev.plinth.lease.v1.RaiseFenceResponse;
import dev.plinth.lease.v1.ReleaseRequest;
import dev.plinth.lease.v1.ReleaseResponse;
import dev.plinth.lease.v1.RenewItem;
import dev.plinth.lease.v1.RenewRequest;
import dev.plinth.lease.v1.RenewResult;
import dev.plinth.lease.v1.TransferRequest;
import dev.plinth.lease.v1.TransferResponse;
import dev.plinth.lease.v1.UpdatePayloadRequest;
import dev.plinth.lease.v1.ValidateRequest;
import dev.plinth.lease.v1.ValidateResponse;
import dev.plinth.testkit.Await;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every call through the real host, on the embedded store. */
class LeaseEndpointTest {
  private static final Duration LONG = Durations.fromMinutes(5);

  @TempDir Path folder;
  private EmbeddedLeases server;
  private LeaseServiceBlockingStub leases;

  @BeforeEach
  void start() {
    server = new EmbeddedLeases(folder);
    leases = LeaseServiceGrpc.newBlockingStub(server.channel());
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void acquire_grants_withTokenAndTtl() {
    AcquireResponse answer =
        leases.acquire(
            wish("ann")
                .setTtl(Durations.fromMillis(2500))
                .setPayload(ByteString.copyFromUtf8("p"))
                .build());
    assertEquals(Outcome.OUTCOME_GRANTED, answer.getOutcome());
    Lease lease = answer.getLease();
    assertEquals("default", lease.getNamespace());
    assertEquals("printer", lease.getKey());
    assertEquals("ann", lease.getOwnerId());
    assertEquals(Durations.fromMillis(2500), lease.getTtl());
    assertEquals(Mode.MODE_EXCLUSIVE, lease.getMode());
    assertEquals("p", lease.getPayload().toStringUtf8());
    assertTrue(lease.getToken() > 0);
  }

  @Test
  void acquire_ofAHeldKey_isAnOutcome_andReentryToo() {
    long token = acquire("ann").getLease().getToken();
    AcquireResponse held = acquire("bob");
    assertEquals(Outcome.OUTCOME_HELD, held.getOutcome());
    assertEquals("ann", held.getHolders(0).getOwnerId());
    AcquireResponse again = acquire("ann");
    assertEquals(Outcome.OUTCOME_REENTERED, again.getOutcome());
    assertEquals(token, again.getLease().getToken());
    assertEquals(ReleaseResponse.Outcome.OUTCOME_STILL_HELD, release(token, ""));
    assertEquals(ReleaseResponse.Outcome.OUTCOME_RELEASED, release(token, ""));
    assertEquals(ReleaseResponse.Outcome.OUTCOME_NOT_HELD, release(token, ""));
  }

  @Test
  void acquire_waits_andIsHandedTheKey() throws Exception {
    long token = acquire("ann").getLease().getToken();
    CompletableFuture<AcquireResponse> bob =
        async(() -> leases.acquire(wish("bob").setWait(LONG).build()));
    Await.until("bob is in line", () -> lease().getWaiters() == 1);
    assertEquals(
        "bob",
        leases
            .listWaiters(ListWaitersRequest.newBuilder().setKey("printer").build())
            .getWaiters(0)
            .getOwnerId());
    release(token, "");
    AcquireResponse answer = bob.get(10, TimeUnit.SECONDS);
    assertEquals(Outcome.OUTCOME_GRANTED, answer.getOutcome());
    assertTrue(answer.getLease().getToken() > token);
  }

  @Test
  void acquire_thatWaitsInVain_timesOut() {
    acquire("ann");
    AcquireResponse answer = leases.acquire(wish("bob").setWait(Durations.fromMillis(50)).build());
    assertEquals(Outcome.OUTCOME_TIMED_OUT, answer.getOutcome());
  }

  @Test
  void waiterWhoseCallEnds_leavesTheLine() {
    acquire("ann");
    LeaseServiceBlockingStub brief = leases.withDeadlineAfter(200, TimeUnit.MILLISECONDS);
    StatusRuntimeException ended =
        assertThrows(
            StatusRuntimeException.class, () -> brief.acquire(wish("bob").setWait(LONG).build()));
    assertEquals(Status.Code.DEADLINE_EXCEEDED, ended.getStatus().getCode());
    Await.until("bob has left", () -> lease().getWaiters() == 0);
  }

  @Test
  void waiterThatComesBack_withItsRequestId_keepsItsPlace() throws Exception {
    long token = acquire("ann").getLease().getToken();
    AcquireRequest bob = wish("bob").setWait(LONG).setRequestId("r-bob").build();
    LeaseServiceBlockingStub brief = leases.withDeadlineAfter(200, TimeUnit.MILLISECONDS);
    assertThrows(StatusRuntimeException.class, () -> brief.acquire(bob));
    CompletableFuture<AcquireResponse> cid =
        async(() -> leases.acquire(wish("cid").setWait(LONG).build()));
    Await.until("cid is behind bob", () -> lease().getWaiters() == 2);
    CompletableFuture<AcquireResponse> again = async(() -> leases.acquire(bob));
    // Only once bob's second call has arrived is it before cid.
    Await.until("bob listens again", () -> !again.isDone() && lease().getWaiters() == 2);
    release(token, "");
    AcquireResponse first =
        (AcquireResponse) CompletableFuture.anyOf(again, cid).get(10, TimeUnit.SECONDS);
    assertEquals(Outcome.OUTCOME_GRANTED, first.getOutcome());
    leases.release(
        ReleaseRequest.newBuilder()
            .setKey("printer")
            .setToken(first.getLease().getToken())
            .build());
    assertEquals(Outcome.OUTCOME_GRANTED, again.get(10, TimeUnit.SECONDS).getOutcome());
    assertEquals(Outcome.OUTCOME_GRANTED, cid.get(10, TimeUnit.SECONDS).getOutcome());
  }

  @Test
  void lockDelay_isAnOutcome() {
    leases.acquire(wish("ann").setTtl(Durations.fromMillis(100)).setLockDelay(LONG).build());
    Await.until("it expired", () -> lease().getHoldersCount() == 0);
    assertTrue(lease().hasDelayedFor());
    AcquireResponse answer = acquire("bob");
    assertEquals(Outcome.OUTCOME_DELAYED, answer.getOutcome());
    assertTrue(Durations.toMillis(answer.getRetryAfter()) > 200_000);
  }

  @Test
  void sharedMode_letsSeveralIn() {
    for (String owner : new String[] {"ann", "bob"}) {
      assertEquals(
          Outcome.OUTCOME_GRANTED,
          leases.acquire(wish(owner).setMode(Mode.MODE_SHARED).build()).getOutcome());
    }
    assertEquals(2, lease().getHoldersCount());
    assertEquals(Outcome.OUTCOME_HELD, acquire("eve").getOutcome());
  }

  @Test
  void renew_answersEachItemForItself() {
    long token = acquire("ann").getLease().getToken();
    List<RenewResult> results =
        leases
            .renew(
                RenewRequest.newBuilder()
                    .addItems(RenewItem.newBuilder().setKey("printer").setToken(token))
                    .addItems(RenewItem.newBuilder().setKey("printer").setToken(token + 1))
                    .addItems(RenewItem.newBuilder().setKey("other").setToken(1))
                    .build())
            .getResultsList();
    assertEquals(RenewResult.State.STATE_RENEWED, results.get(0).getState());
    assertEquals(Durations.fromSeconds(10), results.get(0).getTtl());
    assertEquals(RenewResult.State.STATE_LOST, results.get(1).getState());
    assertEquals(RenewResult.State.STATE_LOST, results.get(2).getState());
  }

  @Test
  void validate_tellsAStaleHolderFromTheHolder() {
    long old = acquire("ann").getLease().getToken();
    release(old, "");
    long now = acquire("bob").getLease().getToken();
    ValidateResponse valid = validate(now);
    assertEquals(ValidateResponse.Outcome.OUTCOME_VALID, valid.getOutcome());
    assertTrue(Durations.toMillis(valid.getRemaining()) > 0);
    ValidateResponse stale = validate(old);
    assertEquals(ValidateResponse.Outcome.OUTCOME_STALE, stale.getOutcome());
    assertEquals(now, stale.getCurrentToken());
  }

  @Test
  void hold_isTransferredUpdatedConfirmedAndForced() {
    long ann = acquire("ann").getLease().getToken();
    TransferRequest transfer =
        TransferRequest.newBuilder()
            .setKey("printer")
            .setToken(ann)
            .setToOwnerId("bob")
            .setRequestId("t1")
            .build();
    TransferResponse transferred = leases.transfer(transfer);
    assertEquals(TransferResponse.Outcome.OUTCOME_TRANSFERRED, transferred.getOutcome());
    assertEquals(transferred, leases.transfer(transfer), "sent again");
    long bob = transferred.getLease().getToken();
    assertTrue(bob > ann);
    assertEquals(
        TransferResponse.Outcome.OUTCOME_NOT_HELD,
        leases.transfer(transfer.toBuilder().setRequestId("t2").build()).getOutcome());
    UpdatePayloadRequest update =
        UpdatePayloadRequest.newBuilder()
            .setKey("printer")
            .setToken(bob)
            .setPayload(ByteString.copyFromUtf8("x"))
            .setExpectedVersion(1)
            .build();
    assertEquals(2, leases.updatePayload(update).getLease().getPayloadVersion());
    StatusRuntimeException conflict =
        assertThrows(StatusRuntimeException.class, () -> leases.updatePayload(update));
    assertEquals(Status.Code.ABORTED, conflict.getStatus().getCode());
    assertEquals("REVISION_CONFLICT", reason(conflict));
    ConfirmRequest confirm = ConfirmRequest.newBuilder().setKey("printer").setToken(bob).build();
    assertTrue(leases.confirm(confirm).getLease().getConfirmed());
    assertEquals(
        ConfirmResponse.Outcome.OUTCOME_NOT_HELD,
        leases.confirm(confirm.toBuilder().setToken(ann).build()).getOutcome());
    ForceReleaseRequest force =
        ForceReleaseRequest.newBuilder().setKey("printer").setReason("test").build();
    assertEquals("bob", leases.forceRelease(force).getReleased(0).getOwnerId());
    assertEquals(0, leases.forceRelease(force).getReleasedCount());
  }

  @Test
  void fence_acceptsNoLowerToken() {
    RaiseFenceRequest.Builder raise = RaiseFenceRequest.newBuilder().setResource("disk");
    assertTrue(leases.raiseFence(raise.setToken(7).build()).getAccepted());
    assertTrue(leases.raiseFence(raise.setToken(7).build()).getAccepted(), "the same holder");
    RaiseFenceResponse stale = leases.raiseFence(raise.setToken(6).build());
    assertFalse(stale.getAccepted());
    assertEquals(7, stale.getFloor());
    stop();
    start();
    assertEquals(
        7, leases.getFence(GetFenceRequest.newBuilder().setResource("disk").build()).getFloor());
  }

  @Test
  void session_carriesItsLeases_andClosesThem() throws Exception {
    String session =
        leases
            .openSession(OpenSessionRequest.newBuilder().setOwnerId("ann").build())
            .getSessionId();
    leases.acquire(wish("ann").setSessionId(session).build());
    assertEquals(
        Durations.fromSeconds(10),
        leases.heartbeat(HeartbeatRequest.newBuilder().setSessionId(session).build()).getTtl());
    assertEquals(
        1,
        leases
            .closeSession(CloseSessionRequest.newBuilder().setSessionId(session).build())
            .getReleased());
    assertEquals(0, lease().getHoldersCount());
    StatusRuntimeException ended =
        assertThrows(
            StatusRuntimeException.class,
            () -> leases.heartbeat(HeartbeatRequest.newBuilder().setSessionId(session).build()));
    assertEquals(Status.Code.FAILED_PRECONDITION, ended.getStatus().getCode());
    assertEquals("SESSION_EXPIRED", reason(ended));
  }

  @Test
  void keepSession_answersEachBeat_andEndsWithTheSession() {
    String session =
        leases
            .openSession(OpenSessionRequest.newBuilder().setOwnerId("ann").build())
            .getSessionId();
    List<String> told = new CopyOnWriteArrayList<>();
    StreamObserver<KeepSessionRequest> beats =
        LeaseServiceGrpc.newStub(server.channel())
            .keepSession(
                new StreamObserver<>() {
                  @Override
                  public void onNext(KeepSessionResponse answer) {
                    told.add("beat " + answer.getSeq());
                  }

                  @Override
                  public void onError(Throwable thrown) {
                    told.add(Status.fromThrowable(thrown).getCode().name());
                  }

                  @Override
                  public void onCompleted() {
                    told.add("end");
                  }
                });
    KeepSessionRequest.Builder beat = KeepSessionRequest.newBuilder().setSessionId(session);
    beats.onNext(beat.setSeq(1).build());
    beats.onNext(beat.setSeq(2).build());
    Await.until("two answers", () -> told.size() == 2);
    leases.closeSession(CloseSessionRequest.newBuilder().setSessionId(session).build());
    beats.onNext(beat.setSeq(3).build());
    Await.until("the end", () -> told.size() == 3);
    assertEquals(List.of("beat 1", "beat 2", "FAILED_PRECONDITION"), told);
  }

  @Test
  void requestSentAgain_getsItsFirstAnswer_overARestartToo() {
    AcquireRequest request = wish("ann").setRequestId("r1").build();
    AcquireResponse first = leases.acquire(request);
    assertEquals(first, leases.acquire(request));
    stop();
    start();
    assertEquals(first, leases.acquire(request));
    assertEquals(1, lease().getHolders(0).getEntries());
    StatusRuntimeException reused =
        assertThrows(
            StatusRuntimeException.class,
            () -> leases.acquire(request.toBuilder().setOwnerId("bob").build()));
    assertEquals(Status.Code.INVALID_ARGUMENT, reused.getStatus().getCode());
    assertEquals("REQUEST_ID_REUSED", reason(reused));
  }

  @Test
  void leases_surviveARestart_andTokensGoOnRising() {
    Lease lease = acquire("ann").getLease();
    stop();
    start();
    assertEquals(lease.getToken(), lease().getHolders(0).getToken());
    assertEquals(ReleaseResponse.Outcome.OUTCOME_RELEASED, release(lease.getToken(), ""));
    assertTrue(acquire("bob").getLease().getToken() > lease.getToken());
  }

  @Test
  void list_pagesThroughANamespace() {
    for (int i = 0; i < 5; i++) {
      leases.acquire(wish(i % 2 == 0 ? "ann" : "bob").setKey("k" + i).build());
    }
    leases.acquire(wish("ann").setNamespace("other").build());
    List<String> seen = new ArrayList<>();
    String token = "";
    do {
      ListLeasesResponse page =
          leases.listLeases(
              ListLeasesRequest.newBuilder().setPageSize(2).setPageToken(token).build());
      assertTrue(page.getLeasesCount() <= 2);
      page.getLeasesList().forEach(l -> seen.add(l.getKey()));
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    assertEquals(List.of("k0", "k1", "k2", "k3", "k4"), seen);
    assertEquals(
        3,
        leases
            .listLeases(ListLeasesRequest.newBuilder().setOwnerId("ann").build())
            .getLeasesCount());
  }

  @Test
  void namespaces_areApart() {
    acquire("ann");
    assertEquals(
        Outcome.OUTCOME_GRANTED,
        leases.acquire(wish("bob").setNamespace("other").build()).getOutcome());
  }

  @Test
  void badField_isRefusedByName_andChangesNothing() {
    refused("namespace", () -> leases.acquire(wish("ann").setNamespace("No Spaces").build()));
    refused("key", () -> leases.acquire(wish("ann").setKey("").build()));
    refused("key", () -> leases.acquire(wish("ann").setKey("x".repeat(257)).build()));
    refused("key", () -> leases.acquire(wish("ann").setKey("a\nb").build()));
    refused("owner_id", () -> leases.acquire(wish("").build()));
    refused("session_id", () -> leases.acquire(wish("ann").setSessionId("x".repeat(129)).build()));
    refused("ttl", () -> leases.acquire(wish("ann").setTtl(Durations.fromMillis(99)).build()));
    refused("ttl", () -> leases.acquire(wish("ann").setTtl(Durations.fromHours(2)).build()));
    refused("ttl", () -> leases.acquire(wish("ann").setSessionId("s").setTtl(LONG).build()));
    refused("wait", () -> leases.acquire(wish("ann").setWait(Durations.fromSeconds(-1)).build()));
    refused("mode", () -> leases.acquire(wish("ann").setModeValue(99).build()));
    refused("priority", () -> leases.acquire(wish("ann").setPriority(101).build()));
    refused(
        "payload",
        () -> leases.acquire(wish("ann").setPayload(ByteString.copyFrom(new byte[4097])).build()));
    refused("request_id", () -> leases.acquire(wish("ann").setRequestId("x".repeat(65)).build()));
    refused(
        "lock_delay",
        () -> leases.acquire(wish("ann").setLockDelay(Durations.fromHours(1)).build()));
    refused(
        "lock_delay",
        () -> leases.acquire(wish("ann").setSessionId("s").setLockDelay(LONG).build()));
    refused("token", () -> release(0, ""));
    refused("token", () -> validate(-1));
    refused("items", () -> leases.renew(RenewRequest.getDefaultInstance()));
    refused("session_id", () -> leases.heartbeat(HeartbeatRequest.getDefaultInstance()));
    refused("session_id", () -> leases.closeSession(CloseSessionRequest.getDefaultInstance()));
    refused("owner_id", () -> leases.openSession(OpenSessionRequest.getDefaultInstance()));
    refused(
        "to_owner_id",
        () -> leases.transfer(TransferRequest.newBuilder().setKey("k").setToken(1).build()));
    refused("token", () -> leases.confirm(ConfirmRequest.newBuilder().setKey("k").build()));
    refused(
        "payload",
        () ->
            leases.updatePayload(
                UpdatePayloadRequest.newBuilder()
                    .setKey("k")
                    .setToken(1)
                    .setPayload(ByteString.copyFrom(new byte[4097]))
                    .build()));
    refused(
        "reason", () -> leases.forceRelease(ForceReleaseRequest.newBuilder().setKey("k").build()));
    refused("resource", () -> leases.raiseFence(RaiseFenceRequest.getDefaultInstance()));
    refused("resource", () -> leases.getFence(GetFenceRequest.getDefaultInstance()));
    refused("key", () -> leases.getLease(GetLeaseRequest.getDefaultInstance()));
    refused(
        "page_size",
        () -> leases.listLeases(ListLeasesRequest.newBuilder().setPageSize(-1).build()));
    assertEquals(0, leases.listLeases(ListLeasesRequest.getDefaultInstance()).getLeasesCount());
  }

  @Test
  void meters_follow() {
    long token = acquire("ann").getLease().getToken();
    acquire("bob");
    MeterRegistry meters = server.meters();
    assertEquals(1, meters.get("plinth.lease.held").gauge().value());
    release(token, "");
    assertEquals(0, meters.get("plinth.lease.held").gauge().value());
    assertEquals(1, meters.get("plinth.lease.acquire").tag("outcome", "HELD").timer().count());
    assertEquals(1, meters.get("plinth.lease.hold").tag("cause", "RELEASED").timer().count());
    assertTrue(meters.get("plinth.shards.commit").timer().count() >= 2);
    assertFalse(meters.get("plinth.shards.served").gauge().value() < 4);
  }

  private static void refused(String field, Supplier<?> call) {
    StatusRuntimeException refusal = assertThrows(StatusRuntimeException.class, call::get, field);
    assertEquals(Status.Code.INVALID_ARGUMENT, refusal.getStatus().getCode(), field);
    try {
      BadRequest bad = StatusProto.fromThrowable(refusal).getDetails(1).unpack(BadRequest.class);
      assertEquals(field, bad.getFieldViolations(0).getField());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  private static String reason(StatusRuntimeException refusal) {
    try {
      return StatusProto.fromThrowable(refusal).getDetails(0).unpack(ErrorInfo.class).getReason();
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  private static AcquireRequest.Builder wish(String owner) {
    return AcquireRequest.newBuilder().setKey("printer").setOwnerId(owner);
  }

  private AcquireResponse acquire(String owner) {
    return leases.acquire(wish(owner).build());
  }

  private ReleaseResponse.Outcome release(long token, String requestId) {
    return leases
        .release(
            ReleaseRequest.newBuilder()
                .setKey("printer")
                .setToken(token)
                .setRequestId(requestId)
                .build())
        .getOutcome();
  }

  private ValidateResponse validate(long token) {
    return leases.validate(ValidateRequest.newBuilder().setKey("printer").setToken(token).build());
  }

  private GetLeaseResponse lease() {
    return leases.getLease(GetLeaseRequest.newBuilder().setKey("printer").build());
  }

  private static <T> CompletableFuture<T> async(Supplier<T> call) {
    return CompletableFuture.supplyAsync(call);
  }
}
