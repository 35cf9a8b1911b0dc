package dev.plinth.config.core;

import dev.plinth.registry.core.Members;
import dev.plinth.registry.core.RegistryApp;
import dev.plinth.shards.Generation;
import dev.plinth.shards.OpenedApps;
import dev.plinth.shards.ShardApp;
import dev.plinth.shards.Tx;
import dev.plinth.shards.store.Row;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * Configs in every shard. All of a namespace are in one, with the members of the same namespace: so
 * a rollout sees which agents die.
 */
public final class ConfigApp implements ShardApp<Configs> {
  private final InstantSource clock;
  private final ConfigEvents events;
  private final Optional<RegistryApp> registry;
  private final SchemaIndex schemas = new SchemaIndex();

  /**
   * @param registry that is opened before it in the same shards; without one, sessions that agents
   *     name are neither checked nor watched
   */
  public ConfigApp(InstantSource clock, ConfigEvents events, Optional<RegistryApp> registry) {
    this.clock = clock;
    this.events = events;
    this.registry = registry;
  }

  /** Of all configs here. */
  public SchemaIndex schemas() {
    return schemas;
  }

  @Override
  public String prefix() {
    return "config/";
  }

  @Override
  public Configs open(List<Row> rows, Tx tx) {
    return load(rows, tx, session -> true);
  }

  @Override
  public Configs open(List<Row> rows, Tx tx, OpenedApps others) {
    if (registry.isEmpty()) {
      return open(rows, tx);
    }
    Members members = others.of(registry.get());
    Configs configs = load(rows, tx, members.sessions()::isOpen);
    members.sessions().onEnd(configs.agents()::sessionEnded);
    return configs;
  }

  private Configs load(List<Row> rows, Tx tx, AgentSessions sessions) {
    long epoch = 1 + Generation.of(tx.tokenLimit());
    Configs configs = new Configs(new ConfigTable(clock, events, schemas, epoch), sessions);
    configs.load(rows, tx);
    return configs;
  }

  @Override
  public void close(Configs configs) {
    configs.close();
  }
}
