package dev.plinth.standalone;

import com.google.protobuf.util.Durations;
import dev.plinth.admin.v1.AdminServiceGrpc;
import dev.plinth.admin.v1.EngineStatus;
import dev.plinth.admin.v1.GetStatusRequest;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceBlockingStub;
import dev.plinth.testkit.JavaProcess;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One whole process and a channel to it. */
final class OneNode implements AutoCloseable {
  private final JavaProcess process;
  private final ManagedChannel channel;

  private OneNode(JavaProcess process) {
    this.process = process;
    int port = Integer.parseInt(process.awaitLine("gRPC on 127.0.0.1:(\\d+)").group(1));
    this.channel = ManagedChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
  }

  static OneNode start(Path directory, String... flags) {
    return new OneNode(launch(directory, flags));
  }

  /** For one that may not start. */
  static JavaProcess launch(Path directory, String... flags) {
    List<String> all = new ArrayList<>(List.of("--port=0", "--admin-port=0", "--drain.pause=0s"));
    all.addAll(List.of(flags));
    return JavaProcess.start(directory, PlinthMain.class, all.toArray(String[]::new));
  }

  JavaProcess process() {
    return process;
  }

  LeaseServiceBlockingStub leases() {
    return LeaseServiceGrpc.newBlockingStub(channel).withDeadlineAfter(10, TimeUnit.SECONDS);
  }

  /** The token of a grant for an hour. */
  long grant(String key) {
    return leases()
        .acquire(
            AcquireRequest.newBuilder()
                .setKey(key)
                .setOwnerId("ann")
                .setTtl(Durations.fromHours(1))
                .build())
        .getLease()
        .getToken();
  }

  ServingStatus health(String service) {
    return HealthGrpc.newBlockingStub(channel)
        .withDeadlineAfter(10, TimeUnit.SECONDS)
        .check(HealthCheckRequest.newBuilder().setService(service).build())
        .getStatus();
  }

  /** What GetStatus says of the engine of the shards. */
  EngineStatus coordination() {
    return AdminServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(10, TimeUnit.SECONDS)
        .getStatus(GetStatusRequest.getDefaultInstance())
        .getEnginesList()
        .stream()
        .filter(engine -> engine.getName().equals("coordination"))
        .findFirst()
        .orElseThrow();
  }

  void stop() {
    process.signal("TERM");
    process.exitCode();
    close();
  }

  @Override
  public void close() {
    channel.shutdownNow();
    process.close();
  }
}
