package dev.plinth.shards;

import java.util.function.Consumer;

/**
 * Work that queues at one shard. Whatever it throws, an Error too, costs that shard its memory and
 * no other anything.
 */
record ShardTask(Shard shard, ShardQueue queue, Consumer<Shard> work) implements Runnable {
  @Override
  public void run() {
    queue.leave();
    shard.guarded(work);
  }
}
