package dev.plinth.lease.grpc;

import static dev.plinth.lease.grpc.LeaseCalls.BRIEF;
import static dev.plinth.lease.grpc.LeaseCalls.KEY;
import static dev.plinth.lease.grpc.LeaseCalls.LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.util.Durations;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.v1.ConfirmRequest;
import dev.plinth.lease.v1.ConfirmResponse;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.ReleaseRequest;
import dev.plinth.lease.v1.ReleaseResponse;
import dev.plinth.lease.v1.RenewItem;
import dev.plinth.lease.v1.RenewRequest;
import dev.plinth.lease.v1.RenewResult;
import dev.plinth.lease.v1.TransferRequest;
import dev.plinth.lease.v1.TransferResponse;
import dev.plinth.lease.v1.UpdatePayloadRequest;
import dev.plinth.lease.v1.UpdatePayloadResponse;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.Refusal;
import io.grpc.Status;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Calls that renew, change or end a hold under its token. */
@OnEachStore(LeaseWiring.class)
class HoldsTest {
  @Parameter ShardServer server;
  private LeaseCalls calls;

  @BeforeEach
  void begin() {
    calls = new LeaseCalls(server);
  }

  @Test
  void renew_answersEachItemForItself() {
    Lease held = calls.grant("ann");
    List<RenewResult> results =
        renew(item(KEY, held.getToken()), item(KEY, held.getToken() + 1), item("other", 1));
    assertEquals(RenewResult.State.STATE_RENEWED, results.get(0).getState());
    assertEquals(LONG, results.get(0).getTtl());
    assertEquals(RenewResult.State.STATE_LOST, results.get(1).getState());
    assertEquals(RenewResult.State.STATE_LOST, results.get(2).getState());
  }

  @Test
  void renew_tellsWhatAnOperatorWants() {
    Lease held = calls.grant("ann");
    calls.leases().forceRelease(calls.force(KEY).setGrace(LONG).build());
    RenewResult result = renew(item(KEY, held.getToken())).get(0);
    assertEquals(held.getToken(), result.getReleaseAsk().getToken());
    assertEquals("maintenance", result.getReleaseAsk().getReason());
    assertTrue(Durations.compare(result.getReleaseAsk().getGrace(), LONG) <= 0);
  }

  @Test
  void renew_ofASessionsHold_promisesNoMoreThanTheSession() {
    String session = calls.session("ann");
    Lease held = calls.grant(calls.wish("ann").setSessionId(session));
    RenewResult result = renew(item(KEY, held.getToken())).get(0);
    assertEquals(RenewResult.State.STATE_RENEWED, result.getState());
    assertTrue(Durations.compare(result.getTtl(), LONG) < 0, "its time was running already");
  }

  @Test
  void release_sentAgain_getsItsFirstAnswer() {
    Lease held = calls.grant("ann");
    ReleaseRequest release =
        ReleaseRequest.newBuilder()
            .setNamespace(calls.namespace)
            .setKey(KEY)
            .setToken(held.getToken())
            .setRequestId("r1")
            .build();
    ReleaseResponse first = calls.leases().release(release);
    assertEquals(ReleaseResponse.Outcome.OUTCOME_RELEASED, first.getOutcome());
    assertEquals(first, calls.leases().release(release));
  }

  @Test
  void release_underAStaleToken_harmsNobody() {
    Lease old = calls.grant("ann");
    calls.release(old);
    Lease now = calls.grant("ann");
    assertEquals(ReleaseResponse.Outcome.OUTCOME_NOT_HELD, calls.release(old));
    assertEquals(now.getToken(), calls.key().getHolders(0).getToken());
  }

  @Test
  void transfer_passesTheLine_underANewToken() {
    Lease ann = calls.grant(calls.wish("ann").setTtl(LONG).setPayload(text("p")));
    var bob = calls.stream(calls.streamWish("bob"));
    bob.next();
    TransferRequest.Builder transfer = transfer(ann).setToOwnerId("cid").setRequestId("t1");
    TransferResponse given = calls.leases().transfer(transfer.build());
    assertEquals(TransferResponse.Outcome.OUTCOME_TRANSFERRED, given.getOutcome());
    assertEquals("cid", given.getLease().getOwnerId());
    assertEquals("p", given.getLease().getPayload().toStringUtf8());
    assertTrue(given.getLease().getToken() > ann.getToken());
    assertEquals(given, calls.leases().transfer(transfer.build()), "sent again");
    assertEquals(
        TransferResponse.Outcome.OUTCOME_NOT_HELD,
        calls.leases().transfer(transfer.clearRequestId().build()).getOutcome());
    assertEquals(1, calls.key().getWaiters());
  }

  @Test
  void transfer_toASession_hangsOnIt() {
    Lease ann = calls.grant("ann");
    String session = calls.session("bob");
    Lease given =
        calls
            .leases()
            .transfer(transfer(ann).setToOwnerId("bob").setToSessionId(session).build())
            .getLease();
    assertEquals(session, given.getSessionId());
    assertEquals(1, calls.close(session));
    Lease again = calls.grant("ann");
    Refusal.of(
            () ->
                calls
                    .leases()
                    .transfer(transfer(again).setToOwnerId("bob").setToSessionId(session).build()))
        .is(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_SESSION_EXPIRED);
    assertEquals("ann", calls.key().getHolders(0).getOwnerId());
  }

  @Test
  void confirm_makesAHoldLast_overARestartToo() {
    Lease held = calls.grant(calls.wish("ann").setTtl(Durations.fromSeconds(1)));
    ConfirmRequest confirm = confirm(held).setPayload(text("booked")).setRequestId("c1").build();
    ConfirmResponse confirmed = calls.leases().confirm(confirm);
    assertEquals(ConfirmResponse.Outcome.OUTCOME_CONFIRMED, confirmed.getOutcome());
    assertTrue(confirmed.getLease().getConfirmed());
    assertEquals("booked", confirmed.getLease().getPayload().toStringUtf8());
    assertEquals(2, confirmed.getLease().getPayloadVersion());
    assertEquals(confirmed, calls.leases().confirm(confirm), "sent again");
    Lease other = calls.grant(calls.wish("ann").setKey("clock").setTtl(Durations.fromSeconds(1)));
    server.restart();
    Await.until("one of the same ttl ran out", () -> calls.key("clock").getHoldersCount() == 0);
    assertTrue(calls.key().getHolders(0).getConfirmed());
    assertEquals(ReleaseResponse.Outcome.OUTCOME_RELEASED, calls.release(held));
    assertEquals(ReleaseResponse.Outcome.OUTCOME_NOT_HELD, calls.release(other));
  }

  @Test
  void confirm_withoutAPayload_leavesIt_andAnEmptyOneEmptiesIt() {
    Lease held = calls.grant(calls.wish("ann").setTtl(LONG).setPayload(text("p")));
    Lease kept = calls.leases().confirm(confirm(held).build()).getLease();
    assertEquals("p", kept.getPayload().toStringUtf8());
    assertEquals(1, kept.getPayloadVersion());
    Lease emptied =
        calls.leases().confirm(confirm(held).setPayload(ByteString.EMPTY).build()).getLease();
    assertTrue(emptied.getPayload().isEmpty());
    assertEquals(2, emptied.getPayloadVersion());
  }

  @Test
  void confirm_afterExpiry_isAnOutcome() {
    Lease held = calls.grant(calls.wish("ann").setTtl(BRIEF));
    Await.until("it expired", () -> calls.key().getHoldersCount() == 0);
    assertEquals(
        ConfirmResponse.Outcome.OUTCOME_NOT_HELD,
        calls.leases().confirm(confirm(held).build()).getOutcome());
  }

  @Test
  void confirmedHold_outlivesItsSession() {
    String session = calls.session("ann");
    Lease held = calls.grant(calls.wish("ann").setSessionId(session));
    calls.leases().confirm(confirm(held).build());
    assertEquals(0, calls.close(session));
    assertEquals(held.getToken(), calls.key().getHolders(0).getToken());
    server.restart();
    assertEquals(ReleaseResponse.Outcome.OUTCOME_RELEASED, calls.release(held));
  }

  @Test
  void updatePayload_comparesTheVersion() {
    Lease held = calls.grant("ann");
    UpdatePayloadRequest.Builder update =
        UpdatePayloadRequest.newBuilder()
            .setNamespace(calls.namespace)
            .setKey(KEY)
            .setToken(held.getToken())
            .setPayload(text("x"))
            .setExpectedVersion(1);
    UpdatePayloadResponse first =
        calls.leases().updatePayload(update.clone().setRequestId("u1").build());
    assertEquals(UpdatePayloadResponse.Outcome.OUTCOME_UPDATED, first.getOutcome());
    assertEquals(2, first.getLease().getPayloadVersion());
    assertEquals(
        first,
        calls.leases().updatePayload(update.clone().setRequestId("u1").build()),
        "sent again");
    Refusal conflict = Refusal.of(() -> calls.leases().updatePayload(update.build()));
    conflict.is(Status.Code.ABORTED, ErrorReason.ERROR_REASON_REVISION_CONFLICT);
    assertEquals("2", conflict.metadata().get("current"));
    assertEquals("1", conflict.metadata().get("expected"));
    assertEquals(
        3,
        calls
            .leases()
            .updatePayload(update.clone().clearExpectedVersion().build())
            .getLease()
            .getPayloadVersion());
    assertEquals(
        UpdatePayloadResponse.Outcome.OUTCOME_NOT_HELD,
        calls.leases().updatePayload(update.setToken(held.getToken() + 1).build()).getOutcome());
  }

  private List<RenewResult> renew(RenewItem... items) {
    return calls
        .leases()
        .renew(
            RenewRequest.newBuilder()
                .setNamespace(calls.namespace)
                .addAllItems(List.of(items))
                .build())
        .getResultsList();
  }

  private static RenewItem item(String key, long token) {
    return RenewItem.newBuilder().setKey(key).setToken(token).build();
  }

  private TransferRequest.Builder transfer(Lease held) {
    return TransferRequest.newBuilder()
        .setNamespace(calls.namespace)
        .setKey(KEY)
        .setToken(held.getToken());
  }

  private ConfirmRequest.Builder confirm(Lease held) {
    return ConfirmRequest.newBuilder()
        .setNamespace(calls.namespace)
        .setKey(KEY)
        .setToken(held.getToken());
  }

  private static ByteString text(String text) {
    return ByteString.copyFromUtf8(text);
  }
}
