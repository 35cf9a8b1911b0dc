package dev.plinth.lease.grpc;

import static dev.plinth.lease.grpc.LeaseCalls.BRIEF;
import static dev.plinth.lease.grpc.LeaseCalls.KEY;
import static dev.plinth.lease.grpc.LeaseCalls.LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Timestamps;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.v1.ConfirmRequest;
import dev.plinth.lease.v1.ForceReleaseResponse;
import dev.plinth.lease.v1.HistoryEntry;
import dev.plinth.lease.v1.HistoryRequest;
import dev.plinth.lease.v1.HistoryResponse;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.Mode;
import dev.plinth.lease.v1.TransferRequest;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.Refusal;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** What happened to keys, as an operator can read it afterwards. */
@OnEachStore(LeaseWiring.class)
class HistoryTest {
  @Parameter ShardServer server;
  private LeaseCalls calls;

  @BeforeEach
  void begin() {
    calls = new LeaseCalls(server);
  }

  @Test
  void history_tellsWhoDidWhatAndWhy_overARestartToo() {
    String session = calls.session("ann");
    Lease ann = calls.grant(calls.wish("ann").setSessionId(session));
    calls.close(session);
    Lease bob = calls.grant("bob");
    confirm(bob);
    transfer(bob, "cid");
    calls.leases().forceRelease(calls.force(KEY).setGrace(LONG).build());
    calls.leases().forceRelease(calls.force(KEY).build());
    calls.release(calls.grant("dan"));
    calls.grant(calls.wish("eve").setTtl(BRIEF));
    Await.until("it expired", () -> calls.key().getHoldersCount() == 0);
    List<HistoryEntry> before = calls.history(calls.historyOf(KEY));
    assertEquals(
        List.of(
            "GRANTED ann UNSPECIFIED ann",
            "ENDED ann CLOSED ann",
            "GRANTED bob UNSPECIFIED bob",
            "CONFIRMED bob UNSPECIFIED bob",
            "ENDED bob TRANSFERRED bob",
            "GRANTED cid UNSPECIFIED cid",
            "RELEASE_ASKED cid UNSPECIFIED olga maintenance",
            "ENDED cid FORCED olga maintenance",
            "GRANTED dan UNSPECIFIED dan",
            "ENDED dan RELEASED dan",
            "GRANTED eve UNSPECIFIED eve",
            "ENDED eve EXPIRED clock"),
        before.stream().map(HistoryTest::line).toList());
    assertEquals(ann.getToken(), before.get(0).getToken());
    assertEquals(session, before.get(0).getSessionId());
    assertTrue(before.get(0).hasWaited());
    assertTrue(before.get(1).hasHeld());
    server.restart();
    assertEquals(before, calls.history(calls.historyOf(KEY)));
  }

  @Test
  void filters_narrowIt() {
    calls.release(calls.grant(calls.wish("ann").setKey("a/1")));
    calls.release(calls.grant(calls.wish("bob").setKey("a/2")));
    calls.release(calls.grant(calls.wish("ann").setKey("b/1")));
    LeaseCalls other = new LeaseCalls(server);
    other.grant(other.wish("ann").setKey("a/1"));
    HistoryRequest all = HistoryRequest.newBuilder().setNamespace(calls.namespace).build();
    assertEquals(6, calls.history(all.toBuilder()).size());
    assertEquals(2, calls.history(all.toBuilder().setKey("a/1")).size());
    assertEquals(4, calls.history(all.toBuilder().setKeyPrefix("a/")).size());
    assertEquals(4, calls.history(all.toBuilder().setOwnerId("ann")).size());
    assertEquals(2, calls.history(all.toBuilder().setOwnerId("ann").setKeyPrefix("b")).size());
    Timestamp last = calls.history(all.toBuilder()).get(5).getAt();
    Timestamp after = Timestamps.add(last, BRIEF);
    assertEquals(6, calls.history(all.toBuilder().setTo(after)).size());
    assertEquals(0, calls.history(all.toBuilder().setFrom(after)).size());
    assertFalse(calls.history(all.toBuilder().setFrom(last)).isEmpty(), "from is included");
    assertTrue(calls.history(all.toBuilder().setTo(last)).size() < 6, "to is not");
  }

  /** A commit of 1 MiB has more events of short names than that. */
  @Test
  void pageToken_isTakenBack_fromARowOfManyEvents() {
    calls.grant("ann");
    HistoryRequest.Builder request = HistoryRequest.newBuilder().setNamespace(calls.namespace);
    calls.leases().history(request.setPageToken("h1.0.10000").build());
    calls.leases().history(request.setPageToken("h1.0.999999999").build());
  }

  @Test
  void pages_followEachOther() {
    for (int i = 0; i < 20; i++) {
      calls.release(calls.grant(calls.wish("ann").setKey("k" + i)));
    }
    HistoryRequest.Builder request = HistoryRequest.newBuilder().setNamespace(calls.namespace);
    List<HistoryEntry> whole = calls.history(request.clone());
    assertEquals(40, whole.size());
    HistoryResponse page = calls.leases().history(request.clone().setPageSize(7).build());
    assertEquals(7, page.getEntriesCount());
    assertEquals(whole, calls.history(request.clone().setPageSize(7)));
  }

  @Test
  void eventsThatLeftTheLog_areNotPassedOverInSilence() throws Exception {
    int holders = 32;
    for (int i = 0; i < holders; i++) {
      calls.grant(calls.wish("o" + i).setMode(Mode.MODE_SHARED).setTtl(LONG));
    }
    HistoryResponse early = calls.leases().history(calls.historyOf(KEY).setPageSize(10).build());
    assertEquals(10, early.getEntriesCount());
    // One call adds an event for every holder. A row has all events of a commit and leaves the log
    // as a whole, so it takes some more than the log is to keep.
    int calledFor = (1 << 16) / holders + 500;
    List<ListenableFuture<ForceReleaseResponse>> asks = new ArrayList<>();
    var async = LeaseServiceGrpc.newFutureStub(calls.channel());
    for (int i = 0; i < calledFor; i++) {
      asks.add(async.forceRelease(calls.force(KEY).setGrace(LONG).build()));
    }
    for (var ask : asks) {
      assertEquals(holders, ask.get().getAskedCount());
    }
    HistoryResponse now = calls.leases().history(calls.historyOf(KEY).setPageSize(1).build());
    assertTrue(now.hasCompleteFrom());
    Refusal tooEarly =
        Refusal.of(
            () ->
                calls
                    .leases()
                    .history(calls.historyOf(KEY).setFrom(early.getEntries(0).getAt()).build()));
    tooEarly.is(Status.Code.OUT_OF_RANGE, ErrorReason.ERROR_REASON_COMPACTED);
    assertFalse(tooEarly.metadata().get("completeFrom").isEmpty());
    Refusal.of(
            () ->
                calls
                    .leases()
                    .history(calls.historyOf(KEY).setPageToken(early.getNextPageToken()).build()))
        .is(Status.Code.OUT_OF_RANGE, ErrorReason.ERROR_REASON_COMPACTED);
    HistoryRequest.Builder reachable = calls.historyOf(KEY).setFrom(now.getCompleteFrom());
    assertEquals(1, calls.leases().history(reachable.setPageSize(1).build()).getEntriesCount());
    calls.leases().forceRelease(calls.force(KEY).build());
  }

  private static String line(HistoryEntry entry) {
    String cause = entry.getCause().name().substring("END_CAUSE_".length());
    String type = entry.getType().name().substring("TYPE_".length());
    return (type
            + " "
            + entry.getOwnerId()
            + " "
            + cause
            + " "
            + entry.getActor()
            + " "
            + entry.getReason())
        .strip();
  }

  private void confirm(Lease lease) {
    calls
        .leases()
        .confirm(
            ConfirmRequest.newBuilder()
                .setNamespace(calls.namespace)
                .setKey(KEY)
                .setToken(lease.getToken())
                .build());
  }

  private void transfer(Lease lease, String to) {
    calls
        .leases()
        .transfer(
            TransferRequest.newBuilder()
                .setNamespace(calls.namespace)
                .setKey(KEY)
                .setToken(lease.getToken())
                .setToOwnerId(to)
                .build());
  }
}
