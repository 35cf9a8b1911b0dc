package dev.plinth.registry.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.Message;
import com.google.protobuf.util.Durations;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.options.v1.CallKind;
import dev.plinth.registry.v1.Member;
import dev.plinth.registry.v1.MemberState;
import dev.plinth.registry.v1.OpenSessionResponse;
import dev.plinth.registry.v1.UntrackResponse;
import dev.plinth.registry.v1.WatchPresenceResponse;
import dev.plinth.server.call.CallDeclaration;
import dev.plinth.shards.fixture.EachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.shards.fixture.SmallEtcd;
import dev.plinth.shards.store.etcd.EtcdCluster;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.Refusal;
import dev.plinth.testkit.engine.SharedEngine;
import io.grpc.Status;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Members on an etcd whose quota is used up: it answers, but takes no writes. */
@Tag("engine")
class ReadOnlyTest {
  @RegisterExtension static final SharedEngine ETCD = EachStore.ETCD;

  @Test
  void falseDeath_aStoreThatTakesNoWrites_costsNobodyHisPlace(@TempDir Path directory)
      throws Exception {
    try (SmallEtcd etcd = new SmallEtcd(directory);
        ShardServer server = onEtcd(etcd)) {
      RegistryCalls calls = new RegistryCalls(server);
      OpenSessionResponse session = calls.open(Durations.fromSeconds(2));
      Member member = calls.register(session, "a");
      OpenSessionResponse other = calls.open(RegistryCalls.LONG);
      List<Message> good = BadFields.good(calls, other, calls.register(other, "b"));
      calls.awaitState("a", MemberState.MEMBER_STATE_SUSPECT);

      etcd.fill();
      isReadOnly(Refusal.of(() -> calls.open(RegistryCalls.LONG)));
      Await.until("the rows are loaded again", () -> calls.get("a") != null);
      long from = System.nanoTime();
      // SUSPECT, and so each of them would have something to write.
      Await.until(
          "far past its time",
          () -> calls.beat(session).getMembers() == 1 && System.nanoTime() - from > 6_000_000_000L);
      assertEquals(member.getIncarnation(), calls.get("a").getIncarnation());
      for (Message request : good) {
        var stream = RegistryCalls.ANY.send(server.channel(), request);
        if (CallDeclaration.ofRequest(request.getDescriptorForType()).orElseThrow().kind()
            == CallKind.CALL_KIND_MUTATION) {
          isReadOnly(stream.refusal());
        } else {
          stream.next();
          stream.cancel();
        }
      }

      presenceGoesOn(server, calls, session);

      // That takes a while, and the moment there is room, who is silent dies.
      FutureTask<Void> room =
          new FutureTask<>(
              () -> {
                etcd.makeRoom();
                return null;
              });
      new Thread(room, "operator").start();
      Await.until(
          "alive again",
          () -> {
            calls.beat(session);
            return room.isDone() && calls.state("a") == MemberState.MEMBER_STATE_ALIVE;
          });
      room.get();
      assertEquals(member.getIncarnation(), calls.get("a").getIncarnation());
    }
  }

  /** Nothing of it is written: it is told, too, while the store takes nothing. */
  private static void presenceGoesOn(
      ShardServer server, RegistryCalls calls, OpenSessionResponse session) {
    RoomCalls rooms = new RoomCalls(server, calls);
    OpenSessionResponse now =
        session.toBuilder().setPresenceEpoch(calls.beat(session).getPresenceEpoch()).build();
    var watch = rooms.watch(rooms.watching());
    watch.next();
    rooms.track(now, "ann");
    assertEquals("ann", watch.next(WatchPresenceResponse::hasDiff).getDiff().getJoins(0).getKey());
    watch.next(WatchPresenceResponse::hasProgress);
    assertEquals(UntrackResponse.Outcome.OUTCOME_LEFT, rooms.untrack(now, "ann"));
    assertEquals("ann", watch.next(WatchPresenceResponse::hasDiff).getDiff().getLeaves(0).getKey());
    watch.cancel();
  }

  private static ShardServer onEtcd(SmallEtcd etcd) {
    EtcdCluster cluster =
        new EtcdCluster(List.of(etcd.hostPort()), ShardServer.ownPrefix("--session-ttl=20s"));
    return ShardServer.onEtcd(RegistryWiring.WIRING, cluster, InstantSource.system());
  }

  private static void isReadOnly(Refusal refusal) {
    refusal.is(Status.Code.UNAVAILABLE, ErrorReason.ERROR_REASON_STORE_READ_ONLY);
  }
}
