package dev.plinth.client;

import dev.plinth.client.lease.LeaseHandle;
import dev.plinth.lease.LeaseService;
import dev.plinth.lease.core.LeaseApp;
import dev.plinth.lease.v1.ForceReleaseRequest;
import dev.plinth.lease.v1.GetLeaseRequest;
import dev.plinth.lease.v1.GetLeaseResponse;
import dev.plinth.lease.v1.HistoryEntry;
import dev.plinth.lease.v1.HistoryRequest;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.UpdatePayloadRequest;
import dev.plinth.lease.v1.UpdatePayloadResponse;
import dev.plinth.server.GrpcHost;
import dev.plinth.server.Metrics;
import dev.plinth.shards.fixture.OwnShards;
import dev.plinth.shards.fixture.Wiring;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.embedded.EmbeddedShardStore;
import dev.plinth.testkit.InProcessHost;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.Future;

/** The real lease service on a port and the embedded store. */
public final class LeaseServer implements AutoCloseable {
  private final Metrics metrics = new Metrics();
  private final GrpcHost host;
  private final ManagedChannel channel;

  public LeaseServer(Path directory, String... flags) {
    Wiring<LeaseApp> parts = new Wiring<>(LeaseService::app, LeaseService::on);
    ShardStore store = EmbeddedShardStore.open(directory, 1);
    host =
        GrpcHost.builder(InProcessHost.hostSettings(flags), metrics)
            .add(OwnShards.of(parts, store, metrics.registry(), "--count=1"))
            .start();
    channel = Grpc.newChannelBuilder(target(), InsecureChannelCredentials.create()).build();
  }

  public int port() {
    return host.port();
  }

  public String target() {
    return "localhost:" + port();
  }

  public GetLeaseResponse lease(String key) {
    return LeaseServiceGrpc.newBlockingStub(channel)
        .getLease(GetLeaseRequest.newBuilder().setKey(key).build());
  }

  public LeaseServiceGrpc.LeaseServiceBlockingStub leases() {
    return LeaseServiceGrpc.newBlockingStub(channel);
  }

  public void forceRelease(String key) {
    leases().forceRelease(ForceReleaseRequest.newBuilder().setKey(key).setReason("test").build());
  }

  /** Changes a lease so often. */
  public void makeEvents(LeaseHandle lease, int count) throws Exception {
    UpdatePayloadRequest request =
        UpdatePayloadRequest.newBuilder().setKey(lease.key()).setToken(lease.token()).build();
    LeaseServiceGrpc.LeaseServiceFutureStub stub = LeaseServiceGrpc.newFutureStub(channel);
    ArrayDeque<Future<UpdatePayloadResponse>> inFlight = new ArrayDeque<>();
    for (int i = 0; i < count; i++) {
      inFlight.add(stub.updatePayload(request));
      if (inFlight.size() > 200) {
        inFlight.remove().get();
      }
    }
    for (Future<UpdatePayloadResponse> last : inFlight) {
      last.get();
    }
  }

  /** The tokens of all grants of a key, as the server remembers them. */
  public List<Long> grants(String key) {
    HistoryRequest request = HistoryRequest.newBuilder().setKey(key).setPageSize(1000).build();
    return leases().history(request).getEntriesList().stream()
        .filter(entry -> entry.getType() == HistoryEntry.Type.TYPE_GRANTED)
        .map(HistoryEntry::getToken)
        .toList();
  }

  /** All terms of an election and how they ended, as the server remembers them. */
  public List<String> terms(String election) {
    HistoryRequest request =
        HistoryRequest.newBuilder().setKey("election/" + election).setPageSize(1000).build();
    return leases().history(request).getEntriesList().stream()
        .filter(
            entry ->
                entry.getType() == HistoryEntry.Type.TYPE_GRANTED
                    || entry.getType() == HistoryEntry.Type.TYPE_ENDED)
        .map(
            entry ->
                (entry.getType() == HistoryEntry.Type.TYPE_GRANTED ? "leader " : "none ")
                    + entry.getTerm())
        .toList();
  }

  @Override
  public void close() {
    channel.shutdownNow();
    host.close();
    metrics.close();
  }
}
