package dev.plinth.ratelimit.policy;

import dev.plinth.shards.ShardApp;
import dev.plinth.shards.Tx;
import dev.plinth.shards.store.Row;
import java.time.InstantSource;
import java.util.List;

/** Policies in every shard; a domain's is in the shard of its name. */
public final class PolicyApp implements ShardApp<Policies> {
  private final InstantSource clock;

  public PolicyApp(InstantSource clock) {
    this.clock = clock;
  }

  @Override
  public String prefix() {
    return PolicyRows.PREFIX;
  }

  @Override
  public Policies open(List<Row> rows, Tx tx) {
    Policies policies = new Policies(clock);
    rows.forEach(policies::load);
    return policies;
  }
}
