package dev.plinth.lease.grpc;

import static dev.plinth.lease.grpc.LeaseCalls.LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Message;
import com.google.protobuf.util.Durations;
import com.google.rpc.RetryInfo;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse.Outcome;
import dev.plinth.lease.v1.HistoryRequest;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.ListLeasesRequest;
import dev.plinth.lease.v1.OpenSessionRequest;
import dev.plinth.lease.v1.RenewItem;
import dev.plinth.lease.v1.RenewRequest;
import dev.plinth.lease.v1.RenewResult;
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
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Leases on an etcd whose quota is used up: it answers, but takes no writes. */
@Tag("engine")
class ReadOnlyTest {
  @RegisterExtension static final SharedEngine ETCD = EachStore.ETCD;

  /** Those that change nothing durable; they are answered as ever. */
  private static final Set<String> GO_ON =
      Set.of(
          "HeartbeatRequest",
          "KeepSessionRequest",
          "RenewRequest",
          "ValidateRequest",
          "GetFenceRequest",
          "GetLeaseRequest",
          "ListLeasesRequest",
          "ListWaitersRequest",
          "WatchRequest",
          "HistoryRequest",
          "GetPolicyRequest",
          "GetLeaderRequest",
          "ObserveRequest",
          "ListCandidatesRequest");

  @Test
  void storeThatTakesNoWrites_refusesThem_goesOnWithTheRest_andRecovers(@TempDir Path directory)
      throws Exception {
    try (SmallEtcd etcd = new SmallEtcd(directory);
        ShardServer server = onEtcd(etcd)) {
      LeaseCalls calls = new LeaseCalls(server);
      List<Message> good = new GoodRequests(calls).all();
      Lease brief = calls.grant(calls.wish("ann").setKey("brief").setTtl(Durations.fromSeconds(3)));
      Lease left = calls.grant(calls.wish("ann").setKey("left").setTtl(Durations.fromSeconds(1)));
      List<Object> before = everything(calls);

      etcd.fill();
      AcquireRequest free = calls.wish("bob").setKey("free").setRequestId("r1").build();
      isReadOnly(Refusal.of(() -> calls.leases().acquire(free)));
      Await.until("the rows are loaded again", () -> calls.key() != null);
      for (Message request : good) {
        var recordedStream = LeaseCalls.ANY.send(calls.channel(), request);
        if (goesOn(request)) {
          recordedStream.next();
          recordedStream.cancel();
        } else {
          isReadOnly(recordedStream.refusal());
        }
      }
      long from = System.nanoTime();
      Await.until(
          "both are past their time; one is renewed",
          () -> {
            renew(calls, brief);
            return System.nanoTime() - from > Durations.toNanos(brief.getTtl()) * 3 / 2;
          });
      assertEquals(before, everything(calls));

      // That takes a while, and the moment there is room, what is not renewed runs out.
      FutureTask<Void> room =
          new FutureTask<>(
              () -> {
                etcd.makeRoom();
                return null;
              });
      new Thread(room, "operator").start();
      Await.until(
          "the one that was left runs out",
          () -> {
            renew(calls, brief);
            return calls.key("left").getHoldersCount() == 0;
          });
      room.get();
      assertEquals(brief.getToken(), calls.key("brief").getHolders(0).getToken());
      Lease next = calls.grant(calls.wish("bob").setKey("left").setTtl(LONG));
      assertTrue(next.getToken() > left.getToken());
      assertEquals(Outcome.OUTCOME_GRANTED, calls.leases().acquire(free).getOutcome());
    }
  }

  private static boolean goesOn(Message request) {
    boolean resumption =
        request instanceof OpenSessionRequest open && !open.getResumeSessionId().isEmpty();
    return resumption || GO_ON.contains(request.getDescriptorForType().getName());
  }

  private static ShardServer onEtcd(SmallEtcd etcd) {
    EtcdCluster cluster =
        new EtcdCluster(List.of(etcd.hostPort()), ShardServer.ownPrefix("--session-ttl=20s"));
    return ShardServer.onEtcd(LeaseWiring.WIRING, cluster, InstantSource.system());
  }

  private static void isReadOnly(Refusal refusal) {
    refusal.is(Status.Code.UNAVAILABLE, ErrorReason.ERROR_REASON_STORE_READ_ONLY);
    assertEquals("etcd", refusal.metadata().get("engine"));
    assertTrue(Durations.isPositive(refusal.detail(RetryInfo.class).getRetryDelay()));
  }

  private static void renew(LeaseCalls calls, Lease lease) {
    RenewItem item =
        RenewItem.newBuilder().setKey(lease.getKey()).setToken(lease.getToken()).build();
    RenewRequest request =
        RenewRequest.newBuilder().setNamespace(calls.namespace).addItems(item).build();
    assertEquals(
        RenewResult.State.STATE_RENEWED, calls.leases().renew(request).getResults(0).getState());
  }

  /** All that a refused request could have changed. */
  private static List<Object> everything(LeaseCalls calls) {
    return List.of(
        calls
            .leases()
            .listLeases(ListLeasesRequest.newBuilder().setNamespace(calls.namespace).build())
            .getLeasesList()
            .stream()
            .map(lease -> lease.toBuilder().clearTtl().build())
            .collect(Collectors.toList()),
        calls.history(HistoryRequest.newBuilder().setNamespace(calls.namespace)));
  }
}
