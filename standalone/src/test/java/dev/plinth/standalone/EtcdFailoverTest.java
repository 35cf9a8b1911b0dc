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
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two whole processes on one real etcd: the second takes over when the first is killed or leaves.
 */
class EtcdFailoverTest {
  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();

  @TempDir Path folder;
  private final List<AcquireRequest> asked = new ArrayList<>();
  private final List<AcquireResponse> told = new ArrayList<>();

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
        for (int i = 0; i < 50; i++) {
          acquire(before, i);
        }
        LeaseServiceBlockingStub after = LeaseServiceGrpc.newBlockingStub(toSecond);
        assertEquals(Status.Code.UNAVAILABLE, codeOf(after));
        end.accept(first);
        Await.until("the second node serves", () -> codeOf(after) == Status.Code.OK);
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
            .setKey("key" + n)
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
                      .setKey("key" + i)
                      .setToken(told.get(i).getLease().getToken())
                      .build())
              .getOutcome());
      assertEquals(
          Outcome.OUTCOME_HELD,
          leases
              .acquire(AcquireRequest.newBuilder().setKey("key" + i).setOwnerId("bob").build())
              .getOutcome());
    }
    long highest = told.stream().mapToLong(a -> a.getLease().getToken()).max().orElseThrow();
    AcquireResponse next =
        leases.acquire(AcquireRequest.newBuilder().setKey("next").setOwnerId("bob").build());
    assertTrue(next.getLease().getToken() > highest);
  }

  /** What a node that does not own the shards answers, or OK. */
  private static Status.Code codeOf(LeaseServiceBlockingStub leases) {
    try {
      leases.validate(ValidateRequest.newBuilder().setKey("none").setToken(1).build());
      return Status.Code.OK;
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode();
    }
  }

  private JavaProcess start(String prefix) {
    JavaProcess plinth =
        JavaProcess.start(
            folder,
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
