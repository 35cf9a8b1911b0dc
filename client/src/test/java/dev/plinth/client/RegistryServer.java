package dev.plinth.client;

import dev.plinth.config.ConfigService;
import dev.plinth.config.core.ConfigApp;
import dev.plinth.config.v1.ConfigServiceGrpc;
import dev.plinth.config.v1.ConfigServiceGrpc.ConfigServiceBlockingStub;
import dev.plinth.machine.Machine;
import dev.plinth.registry.RegistryService;
import dev.plinth.registry.core.RegistryApp;
import dev.plinth.registry.v1.GetMemberRequest;
import dev.plinth.registry.v1.Member;
import dev.plinth.registry.v1.MemberState;
import dev.plinth.registry.v1.RegistryServiceGrpc;
import dev.plinth.registry.v1.RegistryServiceGrpc.RegistryServiceBlockingStub;
import dev.plinth.server.GrpcHost;
import dev.plinth.server.Metrics;
import dev.plinth.shards.Shards;
import dev.plinth.shards.ShardsSettings;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.embedded.EmbeddedShardStore;
import dev.plinth.testkit.InProcessHost;
import dev.plinth.testkit.TestSettings;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.nio.file.Path;
import java.util.List;

/** The real registry and configs on a port and the embedded store. */
public final class RegistryServer implements AutoCloseable {
  private final Metrics metrics = new Metrics();
  private final ShardStore store;
  private final Shards shards;
  private final GrpcHost host;
  private final ManagedChannel channel;

  public RegistryServer(Path directory, String... flags) {
    store = EmbeddedShardStore.open(directory, 1);
    RegistryApp members = RegistryService.app(Machine.system(), metrics.registry());
    ConfigApp configs = ConfigService.app(Machine.system(), members, metrics.registry());
    ShardsSettings settings = TestSettings.read(ShardsSettings.class, "--count=1");
    shards = Shards.open(store, List.of(members, configs), settings, metrics.registry());
    host =
        GrpcHost.builder(InProcessHost.hostSettings(flags), metrics)
            .add(RegistryService.on(shards, members, store))
            .add(ConfigService.on(shards, configs, store))
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

  public ConfigServiceBlockingStub configs() {
    return ConfigServiceGrpc.newBlockingStub(channel);
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
    shards.close();
    store.close();
    metrics.close();
  }
}
