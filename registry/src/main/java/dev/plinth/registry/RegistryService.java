package dev.plinth.registry;

import dev.plinth.machine.Machine;
import dev.plinth.registry.core.RegistryApp;
import dev.plinth.registry.grpc.PartitionBindings;
import dev.plinth.registry.grpc.RegistryBindings;
import dev.plinth.server.Engine;
import dev.plinth.server.HostedService;
import dev.plinth.shards.Shards;
import dev.plinth.shards.grpc.ShardService;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;

/** Sessions, members of groups, and the partitions that they share. */
public final class RegistryService {
  private RegistryService() {}

  /** What it keeps in the shards; they are opened with it. */
  public static RegistryApp app(Machine machine, MeterRegistry registry) {
    return new RegistryApp(
        machine.time(), new RegistryMetrics(registry), new PartitionMetrics(registry));
  }

  public static HostedService on(Shards shards, RegistryApp app, Engine engine) {
    return new ShardService(
        List.of(RegistryBindings.on(shards, app), PartitionBindings.on(shards, app)), engine);
  }
}
