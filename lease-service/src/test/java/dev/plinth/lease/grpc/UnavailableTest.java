package dev.plinth.lease.grpc;

import static dev.plinth.lease.grpc.LeaseCalls.LONG;
import static dev.plinth.lease.grpc.LeaseCalls.async;
import static dev.plinth.lease.grpc.LeaseCalls.get;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.Lease;
import dev.plinth.server.failure.StatusMapping;
import dev.plinth.shards.fixture.EachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.shards.store.etcd.EtcdCluster;
import dev.plinth.shards.store.etcd.EtcdSettings;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.ManualClock;
import dev.plinth.testkit.call.Refusal;
import dev.plinth.testkit.engine.SharedEngine;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What callers hear of a node that may not, or cannot, answer. */
@Tag("engine")
class UnavailableTest {
  @RegisterExtension static final SharedEngine ETCD = EachStore.ETCD;
  private EtcdSettings settings;

  @BeforeEach
  void begin() {
    settings =
        ShardServer.ownPrefix(
            "--session-ttl=4s", "--authority-margin=2s", "--request-timeout=500ms");
  }

  @Test
  void shardOfAnotherNode_hasMoved() {
    try (ShardServer owner = ShardServer.onEtcd(LeaseWiring.WIRING, ETCD, settings);
        ShardServer other = ShardServer.onEtcd(LeaseWiring.WIRING, ETCD, settings)) {
      new LeaseCalls(owner).grant("ann");
      LeaseCalls calls = new LeaseCalls(other);
      Refusal moved = Refusal.of(() -> calls.acquire("ann"));
      moved.is(Status.Code.UNAVAILABLE, ErrorReason.ERROR_REASON_SHARD_MOVED);
      assertTrue(Durations.isPositive(moved.detail(RetryInfo.class).getRetryDelay()));
      assertTrue(moved.metadata().containsKey("shard"));
      calls.stream(calls.streamWish("ann"))
          .refusal()
          .is(Status.Code.UNAVAILABLE, ErrorReason.ERROR_REASON_SHARD_MOVED);
    }
  }

  @Test
  void whileEtcdIsSilent_outcomesArePending_andTheSameIdTellsThemAfterwards() throws Exception {
    try (ShardServer server = ShardServer.onEtcd(LeaseWiring.WIRING, ETCD, settings)) {
      LeaseCalls calls = new LeaseCalls(server);
      AcquireRequest request = calls.wish("ann").setTtl(LONG).setRequestId("r1").build();
      List<LeaseCalls> others = Stream.generate(() -> new LeaseCalls(server)).limit(8).toList();
      ETCD.pause();
      var pending = async(() -> Refusal.of(() -> calls.leases().acquire(request)));
      Await.until("no authority", () -> others.stream().anyMatch(UnavailableTest::isUnsure));
      get(pending).is(Status.Code.UNAVAILABLE, ErrorReason.ERROR_REASON_OUTCOME_PENDING);
      assertTrue(Durations.isPositive(get(pending).detail(RetryInfo.class).getRetryDelay()));
      ETCD.resume();
      Await.until("it serves again", () -> calls.key() != null);
      AcquireResponse answer = calls.leases().acquire(request);
      assertEquals(AcquireResponse.Outcome.OUTCOME_GRANTED, answer.getOutcome());
      assertEquals(answer, calls.leases().acquire(request));
      assertEquals(1, calls.key().getHolders(0).getEntries());
    }
  }

  /** To a node that slept, its wall clock makes a leap and its monotonic clock none. */
  @Test
  void nodeThatSlept_decidesNothing_untilEtcdAnswers() {
    ManualClock wall = new ManualClock();
    EtcdCluster cluster = new EtcdCluster(List.of(ETCD.hostPorts()), settings);
    try (ShardServer server = ShardServer.onEtcd(LeaseWiring.WIRING, cluster, wall)) {
      LeaseCalls calls = new LeaseCalls(server);
      Lease held = calls.grant("ann");
      ETCD.pause();
      wall.stepWall(Duration.ofMinutes(1));
      Refusal refusal = Refusal.of(calls::key);
      refusal.is(Status.Code.UNAVAILABLE, ErrorReason.ERROR_REASON_CLOCK_UNTRUSTED);
      assertTrue(Durations.isPositive(refusal.detail(RetryInfo.class).getRetryDelay()));
      assertEquals("none", refusal.metadata().get("effect"));
      ETCD.resume();
      Await.until("it serves again", () -> calls.key() != null);
      assertEquals(held, calls.key().getHolders(0));
    }
  }

  /** Reads need no commit, so they are answered for as long as the node is sure to own a shard. */
  private static boolean isUnsure(LeaseCalls calls) {
    try {
      calls.key();
      return false;
    } catch (StatusRuntimeException e) {
      Refusal refusal = Refusal.of(e);
      assertEquals(Status.Code.UNAVAILABLE, refusal.code());
      assertTrue(Durations.isPositive(refusal.detail(RetryInfo.class).getRetryDelay()));
      String reason = refusal.detail(ErrorInfo.class).getReason();
      return reason.equals(StatusMapping.wire(ErrorReason.ERROR_REASON_NO_AUTHORITY));
    }
  }
}
