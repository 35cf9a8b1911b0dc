package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.AcquireResponse.Outcome;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceBlockingStub;
import dev.plinth.lease.v1.ValidateRequest;
import dev.plinth.lease.v1.ValidateResponse;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.JavaProcess;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two whole processes on one real etcd, each with half of the shards: the second takes over the
 * first one's when that is killed or leaves.
 */
class EtcdFailoverTest {
  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();

  private static final int KEYS = 50;

  @TempDir Path directory;
  private final List<AcquireRequest> asked = new ArrayList<>();
  private final List<AcquireResponse> told = new ArrayList<>();
  private int checks;

  @Test
  void killedNode_losesNoAcknowledgedGrant_andItsShardsAreServedAgain() {
    takeOver("/killed/", JavaProcess::kill);
  }

  @Test
  void nodeThatLeaves_handsItsShardsOverAtOnce() {
    takeOver(
        "/leaving/",
        first -> {
          first.signal("TERM");
          assertEquals(0, first.exitCode());
        });
  }

  private void takeOver(String prefix, Consumer<JavaProcess> end) {
    try (JavaProcess first = start(prefix);
        JavaProcess second = start(prefix)) {
      ManagedChannel toFirst = channel(first);
      ManagedChannel toSecond = channel(second);
      try {
        LeaseServiceBlockingStub before = LeaseServiceGrpc.newBlockingStub(toFirst);
        for (int i = 0; i < KEYS; i++) {
          acquire(before, i);
        }
        LeaseServiceBlockingStub after = LeaseServiceGrpc.newBlockingStub(toSecond);
        checkAll(after); // whoever has the shard
        end.accept(first);
        Await.until("the second node serves all", () -> isServed(after));
        checkAll(after);
      } finally {
        toFirst.shutdownNow();
        toSecond.shutdownNow();
      }
    }
  }

  private void acquire(LeaseServiceBlockingStub leases, int n) {
    AcquireRequest request =
        AcquireRequest.newBuilder()
            .setNamespace("ns" + n)
            .setKey("key")
            .setOwnerId("ann")
            .setTtl(Durations.fromHours(1))
            .setRequestId("a" + n)
            .build();
    asked.add(request);
    told.add(leases.acquire(request));
  }

  private void checkAll(LeaseServiceBlockingStub leases) {
    for (int i = 0; i < asked.size(); i++) {
      assertEquals(told.get(i), leases.acquire(asked.get(i)), "the first answer");
      assertEquals(
          ValidateResponse.Outcome.OUTCOME_VALID,
          leases
              .validate(
                  ValidateRequest.newBuilder()
                      .setNamespace("ns" + i)
                      .setKey("key")
                      .setToken(told.get(i).getLease().getToken())
                      .build())
              .getOutcome());
      assertEquals(
          Outcome.OUTCOME_HELD,
          leases
              .acquire(
                  AcquireRequest.newBuilder()
                      .setNamespace("ns" + i)
                      .setKey("key")
                      .setOwnerId("bob")
                      .build())
              .getOutcome());
      AcquireResponse next =
          leases.acquire(
              AcquireRequest.newBuilder()
                  .setNamespace("ns" + i)
                  .setKey("next" + checks)
                  .setOwnerId("bob")
                  .build());
      assertTrue(next.getLease().getToken() > told.get(i).getLease().getToken());
    }
    checks++;
  }

  private static boolean isServed(LeaseServiceBlockingStub leases) {
    try {
      for (int i = 0; i < KEYS; i++) {
        leases.validate(
            ValidateRequest.newBuilder().setNamespace("ns" + i).setKey("none").setToken(1).build());
      }
      return true;
    } catch (StatusRuntimeException e) {
      return false;
    }
  }

  private JavaProcess start(String prefix) {
    JavaProcess plinth =
        JavaProcess.start(
            directory,
            PlinthMain.class,
            "--port=0",
            "--admin-port=0",
            "--coordination=etcd://" + ETCD.hostPorts(),
            "--etcd.prefix=" + prefix,
            "--etcd.session-ttl=3s",
            "--etcd.authority-margin=500ms",
            "--etcd.request-timeout=1s");
    plinth.awaitLine("is ready");
    return plinth;
  }

  private static ManagedChannel channel(JavaProcess plinth) {
    int port = Integer.parseInt(plinth.awaitLine("gRPC on [^:]+:(\\d+)").group(1));
    return ManagedChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
  }
}
