package dev.plinth.lease.core;

import dev.plinth.shards.ShardApp;
import dev.plinth.shards.Tx;
import dev.plinth.shards.store.Row;
import java.time.InstantSource;
import java.util.List;

/**
 * Leases in every shard. All keys of a namespace are in one, so that sessions and waits need look
 * no further.
 */
public final class LeaseApp implements ShardApp<Leases> {
  private final InstantSource clock;
  private final LeaseEvents events;

  public LeaseApp(InstantSource clock, LeaseEvents events) {
    this.clock = clock;
    this.events = events;
  }

  @Override
  public String prefix() {
    return "lease/";
  }

  @Override
  public Leases open(List<Row> rows, Tx tx) {
    Leases leases = new Leases(clock, events);
    leases.load(rows, tx);
    return leases;
  }

  @Override
  public void close(Leases leases) {
    leases.removeFromGauges();
  }
}
