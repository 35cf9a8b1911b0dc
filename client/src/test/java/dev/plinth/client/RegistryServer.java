package dev.plinth.client;

import dev.plinth.registry.RegistryService;
import dev.plinth.registry.core.RegistryApp;
import dev.plinth.registry.v1.GetMemberRequest;
import dev.plinth.registry.v1.Member;
import dev.plinth.registry.v1.MemberState;
import dev.plinth.registry.v1.RegistryServiceGrpc;
import dev.plinth.registry.v1.RegistryServiceGrpc.RegistryServiceBlockingStub;
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

/** The real registry on a port and the embedded store. */
public final class RegistryServer implements AutoCloseable {
  private final Metrics metrics = new Metrics();
  private final GrpcHost host;
  private final ManagedChannel channel;

  public RegistryServer(Path directory, String... flags) {
    Wiring<RegistryApp> parts = new Wiring<>(RegistryService::app, RegistryService::on);
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

  public RegistryServiceBlockingStub registry() {
    return RegistryServiceGrpc.newBlockingStub(channel);
  }

  public Member member(String group, String name) {
    return registry()
        .getMember(GetMemberRequest.newBuilder().setGroup(group).setName(name).build())
        .getMember();
  }

  public MemberState state(String group, String name) {
    return member(group, name).getState();
  }

  @Override
  public void close() {
    channel.shutdownNow();
    host.close();
    metrics.close();
  }
}
