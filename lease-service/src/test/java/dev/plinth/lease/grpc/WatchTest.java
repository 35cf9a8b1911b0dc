package dev.plinth.lease.grpc;

import static dev.plinth.lease.grpc.LeaseCalls.BRIEF;
import static dev.plinth.lease.grpc.LeaseCalls.LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.lease.v1.ConfirmRequest;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.TransferRequest;
import dev.plinth.lease.v1.WatchEvent;
import dev.plinth.lease.v1.WatchRequest;
import dev.plinth.lease.v1.WatchResponse;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.call.RecordedStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Watch: a snapshot, then every event, and on from where an earlier watch was. */
@OnEachStore(LeaseWiring.class)
class WatchTest {
  @Parameter ShardServer server;
  private LeaseCalls calls;

  @BeforeEach
  void begin() {
    calls = new LeaseCalls(server);
  }

  @Test
  void watch_showsTheHoldsOfNow_thenEveryChange() {
    Lease a = hold("a");
    var watch = watch(request());
    assertEquals(List.of(a), watch.next().getSnapshot().getLeasesList());
    Lease b = hold("b");
    calls
        .leases()
        .confirm(
            ConfirmRequest.newBuilder()
                .setNamespace(calls.namespace)
                .setKey("b")
                .setToken(b.getToken())
                .build());
    calls.release(b);
    calls.leases().forceRelease(calls.force("a").build());
    calls.grant(calls.wish("ann").setKey("brief").setTtl(BRIEF));
    assertEquals(
        List.of(
            "b GRANTED", "b CHANGED", "b RELEASED", "a FORCED", "brief GRANTED", "brief EXPIRED"),
        events(watch, 6));
    Lease c = hold("c");
    calls
        .leases()
        .transfer(
            TransferRequest.newBuilder()
                .setNamespace(calls.namespace)
                .setKey("c")
                .setToken(c.getToken())
                .setToOwnerId("bob")
                .build());
    String session = calls.session("ann");
    calls.grant(calls.wish("ann").setKey("d").setSessionId(session));
    calls.close(session);
    assertEquals(
        List.of("c GRANTED", "c TRANSFERRED", "c GRANTED", "d GRANTED", "d CLOSED"),
        events(watch, 5));
  }

  @Test
  void watch_isForItsNamespaceAndPrefixAlone_andTellsOfProgress() {
    var watch = watch(request().setKeyPrefix("a/"));
    assertTrue(watch.next().hasSnapshot());
    hold("b/1");
    LeaseCalls elsewhere = new LeaseCalls(server);
    elsewhere.grant(elsewhere.wish("ann").setKey("a/0"));
    hold("a/1");
    assertEquals(List.of("a/1 GRANTED"), events(watch, 1));
    watch.next(WatchResponse::hasProgress);
  }

  @Test
  void V13_watch_resumesWithoutAGap_andWithoutASnapshot() {
    String token = watch(request()).next().getResumeToken();
    hold("a");
    hold("b");
    assertEquals(
        List.of("a GRANTED", "b GRANTED"), events(watch(request().setResumeToken(token)), 2));
  }

  @Test
  void V13_everyResumePoint_leadsToTheSameEnd() {
    var whole = watch(request());
    List<String> tokens = new ArrayList<>(List.of(whole.next().getResumeToken()));
    List<Integer> toldBefore = new ArrayList<>(List.of(0));
    List<String> told = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      calls.release(hold("k" + i % 3));
    }
    while (told.size() < 20) {
      WatchResponse next = whole.next(WatchResponse::hasEvents);
      told.addAll(lines(next));
      tokens.add(next.getResumeToken());
      toldBefore.add(told.size());
    }
    for (int i = 0; i < tokens.size() - 1; i++) {
      var again = watch(request().setResumeToken(tokens.get(i)));
      List<String> rest = told.subList(toldBefore.get(i), told.size());
      assertEquals(rest, events(again, rest.size()));
      again.cancel();
    }
  }

  @Test
  void V13_watch_fromBeforeARestart_isToldOfTheGap_andStartsAgain() {
    String token = watch(request()).next().getResumeToken();
    hold("a");
    server.restart();
    var again = watch(request().setResumeToken(token));
    assertTrue(again.next().hasGap());
    assertEquals("a", again.next().getSnapshot().getLeases(0).getKey());
  }

  /** A message to one that left a moment ago must not reach the loop as an exception. */
  @Test
  void watchersThatLeave_areForgotten_evenInTheMiddleOfAMessage() {
    for (int i = 0; i < 200; i++) {
      var watch = watch(request());
      watch.next();
      calls.grant(calls.wish("ann").setKey("k" + i).setTtl(LONG));
      watch.cancel();
    }
    assertEquals(200, watch(request()).next().getSnapshot().getLeasesCount());
  }

  private WatchRequest.Builder request() {
    return WatchRequest.newBuilder().setNamespace(calls.namespace);
  }

  private RecordedStream<WatchRequest, WatchResponse> watch(WatchRequest.Builder request) {
    RecordedStream<WatchRequest, WatchResponse> recordedStream = new RecordedStream<>();
    LeaseServiceGrpc.newStub(calls.channel()).watch(request.build(), recordedStream);
    return recordedStream;
  }

  private Lease hold(String key) {
    return calls.grant(calls.wish("ann").setKey(key).setTtl(LONG));
  }

  private static List<String> events(RecordedStream<WatchRequest, WatchResponse> watch, int count) {
    List<String> seen = new ArrayList<>();
    while (seen.size() < count) {
      seen.addAll(lines(watch.next()));
    }
    return seen;
  }

  private static List<String> lines(WatchResponse message) {
    return message.getEvents().getEventsList().stream().map(WatchTest::line).toList();
  }

  private static String line(WatchEvent event) {
    return event.getLease().getKey() + " " + event.getType().name().substring("TYPE_".length());
  }
}
