package dev.plinth.shards;

import dev.plinth.server.Engine;
import java.util.Optional;

/** The store of the shards as health sees it, together with the shards that are refused. */
record ShardEngine(Engine store, RefusedShards refusedShards) implements Engine {
  @Override
  public String name() {
    return store.name();
  }

  @Override
  public String kind() {
    return store.kind();
  }

  @Override
  public String location() {
    return store.location();
  }

  @Override
  public Optional<String> unavailableReason() {
    return store.unavailableReason().or(refusedShards::text);
  }
}
