package dev.plinth.registry;

import dev.plinth.machine.Machine;
import dev.plinth.registry.core.PresenceContext;
import dev.plinth.registry.core.RegistryApp;
import dev.plinth.registry.grpc.PartitionBindings;
import dev.plinth.registry.grpc.PresenceBindings;
import dev.plinth.registry.grpc.RegistryBindings;
import dev.plinth.server.Engine;
import dev.plinth.server.HostedService;
import dev.plinth.shards.Shards;
import dev.plinth.shards.grpc.ShardService;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;

/** Sessions, members of groups, presence in rooms, and the partitions that members share. */
public final class RegistryService {
  private RegistryService() {}

  /** What it keeps in the shards; they are opened with it. */
  public static RegistryApp app(Machine machine, MeterRegistry registry) {
    PresenceContext presenceContext =
        new PresenceContext(
            new PresenceMetrics(registry),
            machine.random(),
            machine::isHeapFull,
            machine.memoryShare(PresenceContext.RESUME_BYTES));
    return new RegistryApp(
        machine.time(),
        new RegistryMetrics(registry),
        presenceContext,
        new PartitionMetrics(registry));
  }

  public static HostedService on(Shards shards, RegistryApp app, Engine engine) {
    return new ShardService(
        List.of(
            RegistryBindings.on(shards, app),
            PresenceBindings.on(shards, app),
            PartitionBindings.on(shards, app)),
        engine);
  }
}
