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
  /** What the history of a shard takes at most, where memory allows it. */
  public static final long HISTORY_BYTES = 8L << 20;

  private final InstantSource clock;
  private final LeaseEvents events;
  private final long historyBytes;

  /**
   * @param historyBytes what the history of a shard may take
   */
  public LeaseApp(InstantSource clock, LeaseEvents events, long historyBytes) {
    this.clock = clock;
    this.events = events;
    this.historyBytes = historyBytes;
  }

  @Override
  public String prefix() {
    return "lease/";
  }

  @Override
  public Leases open(List<Row> rows, Tx tx) {
    Leases leases = new Leases(clock, events, historyBytes);
    leases.load(rows, tx);
    return leases;
  }

  @Override
  public void close(Leases leases) {
    leases.removeFromGauges();
  }
}
