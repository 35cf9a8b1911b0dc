package dev.plinth.shards;

import java.util.concurrent.Executor;

/** Runs the work of a shard, one task at a time. */
@FunctionalInterface
interface ShardExecutor extends Executor {
  /** On a thread that nothing but such work waits for. */
  default void executeOnThread(Runnable task) {
    execute(task);
  }
}
