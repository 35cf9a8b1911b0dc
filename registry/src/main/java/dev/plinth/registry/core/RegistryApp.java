package dev.plinth.registry.core;

import dev.plinth.registry.partition.PartitionEvents;
import dev.plinth.shards.ShardApp;
import dev.plinth.shards.Tx;
import dev.plinth.shards.store.Row;
import java.time.InstantSource;
import java.util.List;

/**
 * Members and partitions in every shard. All groups of a namespace are in one, with its sessions.
 */
public final class RegistryApp implements ShardApp<Members> {
  private final InstantSource clock;
  private final RegistryEvents events;
  private final PartitionEvents partitionEvents;

  public RegistryApp(InstantSource clock, RegistryEvents events, PartitionEvents partitionEvents) {
    this.clock = clock;
    this.events = events;
    this.partitionEvents = partitionEvents;
  }

  @Override
  public String prefix() {
    return "registry/";
  }

  @Override
  public Members open(List<Row> rows, Tx tx) {
    Members members = new Members(clock, events, partitionEvents);
    members.load(rows, tx);
    return members;
  }

  @Override
  public void close(Members members) {
    members.removeFromGauges();
  }
}
