package dev.plinth.simulation.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.testkit.ManualClock;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.common.exception.ErrorCode;
import io.etcd.jetcd.common.exception.EtcdException;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.grpc.Status;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Every fate of a request, and what disturbs the way to etcd. */
class SimulatedEtcdTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final String CLIENT = "n1";

  private final ManualClock clock = new ManualClock();
  private final SimulatedEtcd etcd = etcd(1);
  private final SimulatedEtcdConnection connection = connect(CLIENT);
  private final Deque<RequestFate> next = new ArrayDeque<>();

  private SimulatedEtcd etcd(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    EtcdModel model =
        new EtcdModel(EtcdModelSettings.DEFAULT.withoutStaleReads(), clock.nanos(), random);
    SimulatedEtcd made = new SimulatedEtcd(model, clock.nanos(), clock.scheduler(), random);
    made.setFates((client, request) -> next.isEmpty() ? RequestFate.ANSWERED : next.remove());
    return made;
  }

  private SimulatedEtcdConnection connect(String client) {
    return etcd.connect(client, clock.scheduler(), TIMEOUT);
  }

  private static ByteSequence bytes(String text) {
    return ByteSequence.from(text, StandardCharsets.UTF_8);
  }

  private CompletableFuture<TxnResponse> put(String key, String value) {
    Op put = Op.put(bytes(key), bytes(value), PutOption.DEFAULT);
    return connection.send(List.of(), List.of(put), List.of());
  }

  private String stored(String key) {
    return etcd.model().range(EtcdRequests.get(key)).getKvsList().stream()
        .map(row -> row.getValue().toStringUtf8())
        .findFirst()
        .orElse("absent");
  }

  private static Status.Code code(CompletableFuture<?> answer) {
    assertTrue(answer.isDone());
    return Status.fromThrowable(assertThrows(CompletionException.class, answer::join)).getCode();
  }

  @Test
  void answered_afterATravelThereAndBack() {
    CompletableFuture<TxnResponse> answer = put("k", "v");
    assertFalse(answer.isDone());
    assertEquals("absent", stored("k"));
    clock.advance(Duration.ofMillis(4));
    assertTrue(answer.join().isSucceeded());
    assertEquals(2, answer.join().getHeader().getRevision());
    assertEquals("v", stored("k"));
  }

  @Test
  void answerLost_appliedAndTimedOut() {
    next.add(RequestFate.ANSWER_LOST);
    CompletableFuture<TxnResponse> answer = put("k", "v");
    clock.advance(TIMEOUT.minusMillis(1));
    assertEquals("v", stored("k"));
    assertFalse(answer.isDone());
    clock.advance(Duration.ofMillis(1));
    assertEquals(Status.Code.DEADLINE_EXCEEDED, code(answer));
  }

  @Test
  void requestLost_timedOutAndNeverApplied() {
    next.add(RequestFate.REQUEST_LOST);
    CompletableFuture<TxnResponse> answer = put("k", "v");
    clock.advance(TIMEOUT);
    assertEquals(Status.Code.DEADLINE_EXCEEDED, code(answer));
    clock.advance(Duration.ofMinutes(1));
    assertEquals("absent", stored("k"));
  }

  @Test
  void refused_soonAndNeverApplied() {
    next.add(RequestFate.REFUSED);
    CompletableFuture<TxnResponse> answer = put("k", "v");
    clock.advance(Duration.ofMillis(2));
    assertEquals(Status.Code.UNAVAILABLE, code(answer));
    clock.advance(Duration.ofMinutes(1));
    assertEquals("absent", stored("k"));
  }

  @Test
  void appliedLate_afterLaterRequests_andAtTimesAfterItsDeadline() {
    boolean givenUp = false;
    for (int i = 0; i < 20; i++) {
      next.add(RequestFate.APPLIED_LATE);
      CompletableFuture<TxnResponse> late = put("k", "late");
      CompletableFuture<TxnResponse> second = put("k", "second");
      clock.advance(Duration.ofMillis(4));
      assertTrue(second.join().isSucceeded());
      clock.advance(Duration.ofSeconds(10));
      assertEquals("late", stored("k"));
      givenUp |= late.isCompletedExceptionally();
    }
    assertTrue(givenUp);
  }

  @Test
  void requestsOfAConnection_areAppliedInOrder() {
    List<CompletableFuture<TxnResponse>> all = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      all.add(put("k", "v" + i));
    }
    clock.advance(Duration.ofMillis(10));
    for (int i = 0; i < 100; i++) {
      assertEquals(i + 2, all.get(i).join().getHeader().getRevision());
    }
  }

  @Test
  void silentLink_timesOut_andDeliversSomeOfItLate() {
    etcd.setLink(CLIENT, EtcdLinkState.SILENT);
    List<CompletableFuture<TxnResponse>> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      all.add(put("k" + i, "v"));
    }
    clock.advance(TIMEOUT);
    all.forEach(answer -> assertEquals(Status.Code.DEADLINE_EXCEEDED, code(answer)));
    assertEquals(1, etcd.model().revision());
    etcd.heal();
    clock.advance(TIMEOUT);
    long applied = etcd.model().revision() - 1;
    assertTrue(applied > 0 && applied < 20, applied + " applied");
  }

  @Test
  void lostAnswers_areOfAppliedRequests_andOtherClientsHaveTheirs() {
    etcd.setLink(CLIENT, EtcdLinkState.ANSWERS_LOST);
    CompletableFuture<TxnResponse> answer = put("k", "v");
    CompletableFuture<?> others = connect("n2").client().getKVClient().get(bytes("k"));
    clock.advance(TIMEOUT);
    assertEquals("v", stored("k"));
    assertEquals(Status.Code.DEADLINE_EXCEEDED, code(answer));
    others.join();
  }

  @Test
  void refusedLink_failsAtOnce_whatIsInFlightToo() {
    CompletableFuture<TxnResponse> inFlight = put("k", "v");
    etcd.setLink(CLIENT, EtcdLinkState.REFUSED);
    CompletableFuture<TxnResponse> refused = put("k", "v");
    clock.advance(Duration.ofMillis(2));
    assertEquals(Status.Code.UNAVAILABLE, code(inFlight));
    assertEquals(Status.Code.UNAVAILABLE, code(refused));
    assertEquals("absent", stored("k"));
  }

  @Test
  void stalledServer_answersLater_inOrder() {
    etcd.stall(Duration.ofSeconds(1));
    CompletableFuture<TxnResponse> first = put("k", "1");
    CompletableFuture<TxnResponse> second = put("k", "2");
    clock.advance(Duration.ofMillis(999));
    assertEquals(1, etcd.model().revision());
    clock.advance(Duration.ofMillis(3));
    assertEquals(2, first.join().getHeader().getRevision());
    assertEquals(3, second.join().getHeader().getRevision());
  }

  @Test
  void changeOfLeader_answersSerializableReads_andIsUnsureOfSomeWrites() {
    etcd.changeLeader(Duration.ofSeconds(1));
    List<CompletableFuture<TxnResponse>> all = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      all.add(put("k" + i, "v"));
    }
    GetOption serializable = GetOption.builder().withSerializable(true).build();
    CompletableFuture<?> read = connection.client().getKVClient().get(bytes("k0"), serializable);
    clock.advance(Duration.ofMillis(10));
    read.join();
    assertTrue(all.stream().noneMatch(CompletableFuture::isDone));
    clock.advance(Duration.ofSeconds(1));
    long answered = all.stream().filter(answer -> !answer.isCompletedExceptionally()).count();
    long applied = etcd.model().revision() - 1;
    assertTrue(answered > 0 && answered < applied && applied < 40, answered + " of " + applied);
  }

  @Test
  void restore_breaksConnections_andWhatWasUnderWayIsNeverApplied() {
    EtcdSnapshot backup = etcd.snapshot();
    put("k", "v");
    clock.advance(Duration.ofMillis(4));
    next.add(RequestFate.APPLIED_LATE);
    CompletableFuture<TxnResponse> underWay = put("late", "v");
    etcd.restore(backup);
    clock.runDue();
    assertEquals(Status.Code.UNAVAILABLE, code(underWay));
    clock.advance(Duration.ofMinutes(1));
    assertEquals("absent", stored("k"));
    assertEquals("absent", stored("late"));
    CompletableFuture<TxnResponse> after = put("k", "v");
    clock.advance(Duration.ofMillis(4));
    assertTrue(after.join().isSucceeded());
  }

  @Test
  void closedConnection_failsItsCalls() {
    CompletableFuture<TxnResponse> answer = put("k", "v");
    connection.client().close();
    assertEquals(Status.Code.UNAVAILABLE, code(answer));
    assertEquals(Status.Code.UNAVAILABLE, code(put("k", "v")));
  }

  @Test
  void jetcdClient_failsAsJetcdDoes() {
    Client client = connection.client();
    var granted = client.getLeaseClient().grant(2);
    clock.advance(Duration.ofMillis(4));
    long lease = granted.join().getID();
    var renewed = client.getLeaseClient().keepAliveOnce(lease);
    clock.advance(Duration.ofMillis(4));
    assertEquals(2, renewed.join().getTTL());
    clock.advance(Duration.ofSeconds(10));
    var gone = client.getLeaseClient().keepAliveOnce(lease);
    var revoked = client.getLeaseClient().revoke(lease);
    clock.advance(Duration.ofMillis(4));
    Throwable failure = assertThrows(CompletionException.class, gone::join).getCause();
    assertEquals(ErrorCode.NOT_FOUND, ((EtcdException) failure).getErrorCode());
    assertEquals(Status.Code.NOT_FOUND, code(revoked));
  }

  @Test
  void noSpace_isListedAsAnAlarm_andDisarmed() {
    Client client = connection.client();
    etcd.setNoSpace(true);
    CompletableFuture<TxnResponse> refused = put("k", "v");
    var alarms = client.getMaintenanceClient().listAlarms();
    clock.advance(Duration.ofMillis(4));
    assertEquals(Status.Code.RESOURCE_EXHAUSTED, code(refused));
    var disarmed = client.getMaintenanceClient().alarmDisarm(alarms.join().getAlarms().get(0));
    clock.advance(Duration.ofMillis(4));
    disarmed.join();
    CompletableFuture<TxnResponse> again = put("k", "v");
    var none = client.getMaintenanceClient().listAlarms();
    var status = client.getMaintenanceClient().statusMember("any");
    clock.advance(Duration.ofMillis(4));
    assertTrue(again.join().isSucceeded());
    assertEquals(List.of(), none.join().getAlarms());
    assertTrue(status.join().getDbSize() > 0);
  }

  @Test
  void shares_decideFates() {
    EtcdFaults faults = EtcdFaults.rates(0.1, 0.2, 0.3, 0.1);
    SplittableRandom random = new SplittableRandom(1);
    int[] counts = new int[RequestFate.values().length];
    for (int i = 0; i < 10_000; i++) {
      counts[faults.draw(random).ordinal()]++;
    }
    assertEquals(3_000, counts[RequestFate.ANSWERED.ordinal()], 200);
    assertEquals(1_000, counts[RequestFate.ANSWER_LOST.ordinal()], 200);
    assertEquals(2_000, counts[RequestFate.APPLIED_LATE.ordinal()], 200);
    assertEquals(3_000, counts[RequestFate.REFUSED.ordinal()], 200);
    assertEquals(1_000, counts[RequestFate.REQUEST_LOST.ordinal()], 200);
  }
}
