package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.registry.v1.BeatRequest;
import dev.plinth.registry.v1.BeatResponse;
import dev.plinth.registry.v1.CountPresenceRequest;
import dev.plinth.registry.v1.CountPresenceResponse;
import dev.plinth.registry.v1.OpenSessionRequest;
import dev.plinth.registry.v1.OpenSessionResponse;
import dev.plinth.registry.v1.PresenceServiceGrpc;
import dev.plinth.registry.v1.PresenceServiceGrpc.PresenceServiceBlockingStub;
import dev.plinth.registry.v1.RegistryServiceGrpc;
import dev.plinth.registry.v1.TrackRequest;
import dev.plinth.registry.v1.TrackResponse;
import dev.plinth.registry.v1.WatchPresenceRequest;
import dev.plinth.registry.v1.WatchPresenceResponse;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.RecordedStream;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A room whose owner dies; the calls go to the node that stays. */
class PresenceFailoverTest {
  private static final String ROOM = "lobby";

  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();

  @TempDir Path directory;
  private PlinthNodes nodes;
  private String namespace;
  private OpenSessionResponse session;

  @BeforeEach
  void start() {
    nodes = new PlinthNodes(directory, ETCD.hostPorts(), 2);
    nodes.startAll();
    nodes.awaitSpread(nodes.inOrder(2), 8, 8);
    namespace =
        IntStream.range(0, 100)
            .mapToObj(i -> "ns-" + i)
            .filter(name -> nodes.owns(0, name))
            .findFirst()
            .orElseThrow();
    session =
        RegistryServiceGrpc.newBlockingStub(nodes.channel(1))
            .openSession(
                OpenSessionRequest.newBuilder()
                    .setNamespace(namespace)
                    .setClient("test")
                    .setTtl(Durations.fromSeconds(20))
                    .build());
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  @Test
  void falseDeath_ghostMember_ownerDies_theNextSaysThatItKnowsNobodyYet() {
    TrackRequest before = tracking("ann", 1, session.getPresenceEpoch());
    assertEquals(TrackResponse.Outcome.OUTCOME_TRACKED, presence().track(before).getOutcome());
    RecordedStream<WatchPresenceRequest, WatchPresenceResponse> watch = watch("");
    WatchPresenceResponse seen = watch.next();
    assertEquals("ann", seen.getSnapshot().getPresences(0).getKey());

    nodes.process(0).kill();
    Await.until("another node answers", this::beats);
    BeatResponse beat = beat();
    assertNotEquals(session.getPresenceEpoch(), beat.getPresenceEpoch());
    assertEquals(0, beat.getPresences());
    CountPresenceResponse count =
        presence()
            .countPresence(
                CountPresenceRequest.newBuilder().setNamespace(namespace).setRoom(ROOM).build());
    assertEquals(0, count.getCount().getDevices());
    assertTrue(count.hasIncompleteFor());
    TrackResponse late = presence().track(before);
    assertEquals(TrackResponse.Outcome.OUTCOME_EPOCH_CHANGED, late.getOutcome());
    assertEquals(beat.getPresenceEpoch(), late.getPresenceEpoch());

    watch.lastly();
    RecordedStream<WatchPresenceRequest, WatchPresenceResponse> again =
        watch(seen.getResumeToken());
    assertTrue(again.next().hasGap());
    WatchPresenceResponse snapshot = again.next();
    assertEquals(0, snapshot.getSnapshot().getPresencesCount());
    assertTrue(snapshot.hasIncompleteFor());
    presence().track(tracking("ann", 2, beat.getPresenceEpoch()));
    assertEquals("ann", again.next(WatchPresenceResponse::hasDiff).getDiff().getJoins(0).getKey());
    again.cancel();
  }

  private PresenceServiceBlockingStub presence() {
    return PresenceServiceGrpc.newBlockingStub(nodes.channel(1))
        .withDeadlineAfter(10, TimeUnit.SECONDS);
  }

  private TrackRequest tracking(String key, long seq, long epoch) {
    return TrackRequest.newBuilder()
        .setNamespace(namespace)
        .setSessionId(session.getSessionId())
        .setSessionIncarnation(session.getIncarnation())
        .setPresenceEpoch(epoch)
        .setRoom(ROOM)
        .setKey(key)
        .setSeq(seq)
        .build();
  }

  private RecordedStream<WatchPresenceRequest, WatchPresenceResponse> watch(String token) {
    RecordedStream<WatchPresenceRequest, WatchPresenceResponse> stream = new RecordedStream<>();
    WatchPresenceRequest request =
        WatchPresenceRequest.newBuilder()
            .setNamespace(namespace)
            .setRoom(ROOM)
            .setResumeToken(token)
            .build();
    PresenceServiceGrpc.newStub(nodes.channel(1)).watchPresence(request, stream);
    return stream;
  }

  private boolean beats() {
    try {
      beat();
      return true;
    } catch (StatusRuntimeException e) {
      return switch (e.getStatus().getCode()) {
        case UNAVAILABLE, DEADLINE_EXCEEDED -> false;
        default -> throw e;
      };
    }
  }

  private BeatResponse beat() {
    return RegistryServiceGrpc.newBlockingStub(nodes.channel(1))
        .withDeadlineAfter(2, TimeUnit.SECONDS)
        .beat(
            BeatRequest.newBuilder()
                .setNamespace(namespace)
                .setSessionId(session.getSessionId())
                .setIncarnation(session.getIncarnation())
                .build());
  }
}
