package dev.plinth.registry.core;

import dev.plinth.shards.ShardApp;
import dev.plinth.shards.Tx;
import dev.plinth.shards.store.Row;
import java.time.InstantSource;
import java.util.List;

/** Members in every shard. All groups of a namespace are in one, with its sessions. */
public final class RegistryApp implements ShardApp<Members> {
  private final InstantSource clock;
  private final RegistryEvents events;
  private final PresenceContext presenceContext;

  public RegistryApp(InstantSource clock, RegistryEvents events, PresenceContext presenceContext) {
    this.clock = clock;
    this.events = events;
    this.presenceContext = presenceContext;
  }

  @Override
  public String prefix() {
    return "registry/";
  }

  @Override
  public Members open(List<Row> rows, Tx tx) {
    Members members = new Members(clock, events, presenceContext);
    members.load(rows, tx);
    return members;
  }

  @Override
  public void progress(Members members, long nanos) {
    members.presences().progress(nanos);
  }

  @Override
  public void close(Members members) {
    members.removeFromGauges();
  }
}
