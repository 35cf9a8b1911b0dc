package dev.plinth.shards;

import java.util.function.Consumer;

/**
 * Work that queues at one shard. Whatever it throws, an Error too, costs that shard its memory and
 * no other anything.
 *
 * @param isSlow may take long, so that only the loop's own thread does it
 */
record ShardTask(Shard shard, ShardQueueLimit queue, Consumer<Shard> work, boolean isSlow)
    implements Runnable {
  ShardTask(Shard shard, ShardQueueLimit queue, Consumer<Shard> work) {
    this(shard, queue, work, false);
  }

  ShardTask slow() {
    return new ShardTask(shard, queue, work, true);
  }

  @Override
  public void run() {
    queue.leave();
    shard.guarded(work);
  }
}
