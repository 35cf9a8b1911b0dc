package dev.plinth.shards;

/** The states that other apps keep in the same shard, for an app that looks at them. */
public interface OpenedApps {
  /** That of an app which stands before the one that asks in the list of the shards' apps. */
  <S> S of(ShardApp<S> app);
}
