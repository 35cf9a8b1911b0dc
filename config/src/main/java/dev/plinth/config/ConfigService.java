package dev.plinth.config;

import dev.plinth.config.core.ConfigApp;
import dev.plinth.config.grpc.ConfigBindings;
import dev.plinth.machine.Machine;
import dev.plinth.registry.core.RegistryApp;
import dev.plinth.server.Engine;
import dev.plinth.server.HostedService;
import dev.plinth.shards.Shards;
import dev.plinth.shards.grpc.ShardService;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Optional;

/** Documents, rollouts, and their way to agents. */
public final class ConfigService {
  private ConfigService() {}

  /**
   * What it keeps in the shards; they are opened with it.
   *
   * @param members that the shards are opened with, before it
   */
  public static ConfigApp app(Machine machine, RegistryApp members, MeterRegistry registry) {
    return new ConfigApp(machine.time(), new ConfigMetrics(registry), Optional.of(members));
  }

  /** Without a registry: sessions that agents name are neither checked nor watched. */
  public static ConfigApp app(Machine machine, MeterRegistry registry) {
    return new ConfigApp(machine.time(), new ConfigMetrics(registry), Optional.empty());
  }

  public static HostedService on(Shards shards, ConfigApp app, Engine engine) {
    return new ShardService(
        List.of(ConfigBindings.documents(shards, app), ConfigBindings.distribution(shards, app)),
        engine);
  }
}
