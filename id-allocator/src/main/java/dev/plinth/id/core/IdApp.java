package dev.plinth.id.core;

import dev.plinth.shards.ShardApp;
import dev.plinth.shards.Tx;
import dev.plinth.shards.store.Row;
import java.time.InstantSource;
import java.util.List;

/** Identifiers in every shard; a namespace is in the shard of its name. */
public final class IdApp implements ShardApp<Namespaces> {
  private final InstantSource clock;
  private final IdEvents events;

  public IdApp(InstantSource clock, IdEvents events) {
    this.clock = clock;
    this.events = events;
  }

  @Override
  public String prefix() {
    return "id/";
  }

  @Override
  public Namespaces open(List<Row> rows, Tx tx) {
    Namespaces namespaces = new Namespaces(clock, events);
    namespaces.load(rows, tx);
    return namespaces;
  }

  @Override
  public void close(Namespaces namespaces) {
    namespaces.removeFromGauges();
  }
}
