package dev.plinth.registry.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.registry.v1.OpenSessionResponse;
import dev.plinth.registry.v1.Partition;
import dev.plinth.registry.v1.PartitionEvents;
import dev.plinth.registry.v1.PartitionSnapshot;
import dev.plinth.registry.v1.PartitionState;
import dev.plinth.registry.v1.WatchPartitionsResponse;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.RecordedStream;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** WatchPartitions: a snapshot, then every change, of a group or of one owner. */
@OnEachStore(RegistryWiring.class)
class PartitionWatchTest {
  @Parameter ShardServer server;
  private PartitionTestCalls calls;

  @BeforeEach
  void begin() {
    calls = new PartitionTestCalls(server);
  }

  @Test
  void P5_foldOfAWatch_isTheList_toTheEndOfTheGroup() {
    var watch = calls.watch(calls.watching());
    PartitionSnapshot first = watch.next().getSnapshot();
    assertEquals(0, first.getPartitionCount());
    OpenSessionResponse a = calls.joined("a", 100);
    OpenSessionResponse b = calls.joined("b", 100);
    calls.releaseRevoked("a", a);
    TreeMap<Integer, Partition> folded = new TreeMap<>();
    fold(watch, folded, "b", 50);
    assertEquals(calls.list(), List.copyOf(folded.values()));
    calls.members.close(a);
    fold(watch, folded, "b", 100);
    assertEquals(calls.list(), List.copyOf(folded.values()));
    calls.partitions().leaveGroup(calls.leaving("b", b).build());
    PartitionEvents last = events(watch);
    while (last.getPartitionCount() > 0) {
      last = events(watch);
    }
    assertEquals(List.of(), calls.list());
  }

  private static PartitionEvents events(RecordedStream<?, WatchPartitionsResponse> watch) {
    return watch.next(WatchPartitionsResponse::hasEvents).getEvents();
  }

  private static void fold(
      RecordedStream<?, WatchPartitionsResponse> watch,
      TreeMap<Integer, Partition> folded,
      String owner,
      int count) {
    while (folded.values().stream().filter(each -> each.getOwner().equals(owner)).count() < count) {
      PartitionEvents events = events(watch);
      assertEquals(100, events.getPartitionCount());
      events.getPartitionsList().forEach(each -> folded.put(each.getPartition(), each));
    }
  }

  @Test
  void watchOfAnOwner_tellsOfItsPartitionsAlone_untilTheyAreAnothers() {
    OpenSessionResponse a = calls.joined("a", 4);
    var ofA = calls.watch(calls.watching().setOwner("a"));
    var ofB = calls.watch(calls.watching().setOwner("b"));
    assertEquals(4, ofA.next().getSnapshot().getPartitionsCount());
    PartitionSnapshot none = ofB.next().getSnapshot();
    assertEquals(0, none.getPartitionsCount());
    assertEquals(4, none.getPartitionCount());
    OpenSessionResponse b = calls.joined("b", 4);
    List<Partition> revoked = events(ofA).getPartitionsList();
    assertEquals(2, revoked.size());
    assertTrue(
        revoked.stream().allMatch(p -> p.getState() == PartitionState.PARTITION_STATE_REVOKED));
    calls.releaseRevoked("a", a);
    List<Partition> gone = events(ofA).getPartitionsList();
    assertEquals(gone, events(ofB).getPartitionsList());
    assertTrue(gone.stream().allMatch(p -> p.getSessionId().equals(b.getSessionId())));
    OpenSessionResponse c = calls.joined("c", 4);
    calls.releaseRevoked("a", a);
    calls.releaseRevoked("b", b);
    assertFalse(calls.assignment("c", c).getPartitionsList().isEmpty());
    ofA.next(WatchPartitionsResponse::hasProgress);
  }

  @Test
  void W2_watch_resumesAfterEachMessage_withoutASnapshot() {
    var whole = calls.watch(calls.watching());
    List<String> tokens = new ArrayList<>(List.of(whole.next().getResumeToken()));
    List<PartitionEvents> told = new ArrayList<>();
    OpenSessionResponse a = calls.joined("a", 3);
    calls.joined("b", 3);
    calls.releaseRevoked("a", a);
    calls.partitions().leaveGroup(calls.leaving("a", a).build());
    Await.until(
        "b has all", () -> calls.list().stream().allMatch(each -> each.getOwner().equals("b")));
    long highest = calls.list().stream().mapToLong(Partition::getToken).max().orElseThrow();
    boolean last = false;
    while (!last) {
      WatchPartitionsResponse next = whole.next(WatchPartitionsResponse::hasEvents);
      told.add(next.getEvents());
      tokens.add(next.getResumeToken());
      last = next.getEvents().getPartitionsList().stream().anyMatch(p -> p.getToken() == highest);
    }
    for (int i = 0; i < told.size(); i++) {
      var again = calls.watch(calls.watching().setResumeToken(tokens.get(i)));
      assertEquals(told.get(i), events(again));
      again.cancel();
    }
  }

  @Test
  void watchGap_fromBeforeARestart_isTold_andASnapshotFollows() {
    String token = calls.watch(calls.watching()).next().getResumeToken();
    calls.joined("a", 3);
    server.restart();
    var again = calls.watch(calls.watching().setResumeToken(token));
    assertTrue(again.next().hasGap());
    PartitionSnapshot snapshot = again.next().getSnapshot();
    assertEquals(3, snapshot.getPartitionCount());
    assertEquals(calls.list(), snapshot.getPartitionsList());
  }
}
