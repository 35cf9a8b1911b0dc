package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.GetLeaseRequest;
import dev.plinth.lease.v1.HeartbeatRequest;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceBlockingStub;
import dev.plinth.lease.v1.OpenSessionRequest;
import dev.plinth.testkit.JavaProcess;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** K13: a client that dies with all its waiters neither ends nor silences a small process. */
class DyingCrowdTest {
  private static final int WAITERS = 10_000;
  private static final String KEY = "crowded";

  @TempDir Path directory;

  @Test
  void K13_clientThatDiesWithTenThousandWaiters_costsNobodyALease() {
    try (JavaProcess plinth =
        JavaProcess.start(directory, PlinthMain.class, "--port=0", "--admin-port=0")) {
      int port = Integer.parseInt(plinth.awaitLine("gRPC on [^:]+:(\\d+)").group(1));
      ManagedChannel channel =
          ManagedChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
      try {
        run(plinth, LeaseServiceGrpc.newBlockingStub(channel), port);
      } finally {
        channel.shutdownNow();
      }
    }
  }

  private void run(JavaProcess plinth, LeaseServiceBlockingStub stub, int port) {
    String session =
        stub.openSession(
                OpenSessionRequest.newBuilder()
                    .setOwnerId("holder")
                    .setTtl(Durations.fromSeconds(60))
                    .build())
            .getSessionId();
    stub.acquire(
        AcquireRequest.newBuilder().setKey(KEY).setOwnerId("holder").setSessionId(session).build());
    try (JavaProcess crowd =
        JavaProcess.start(directory, WaiterCrowd.class, "" + port, KEY, "" + WAITERS)) {
      crowd.awaitLine("all are in line");
      crowd.kill();
    }
    while (waiters(stub) > 0) {
      beat(stub, session);
    }
    beat(stub, session);
    assertEquals(
        "holder",
        stub.getLease(GetLeaseRequest.newBuilder().setKey(KEY).build()).getHolders(0).getOwnerId());
    assertTrue(plinth.isAlive(), plinth::output);
  }

  private static void beat(LeaseServiceBlockingStub stub, String session) {
    stub.withDeadlineAfter(20, TimeUnit.SECONDS)
        .heartbeat(HeartbeatRequest.newBuilder().setSessionId(session).build());
  }

  private static int waiters(LeaseServiceBlockingStub stub) {
    return stub.withDeadlineAfter(20, TimeUnit.SECONDS)
        .getLease(GetLeaseRequest.newBuilder().setKey(KEY).build())
        .getWaiters();
  }
}
