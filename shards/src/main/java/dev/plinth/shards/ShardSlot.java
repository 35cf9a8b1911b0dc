package dev.plinth.shards;

import dev.plinth.server.failure.Failure;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * The place of one shard on this node: the loop that runs its work, how much may wait for it, and
 * the shard itself while it is served here.
 */
final class ShardSlot {
  private final int number;
  private final ShardLoop loop;
  private final ShardQueueLimit queue;
  private final ShardMetrics metrics;
  private final AtomicReference<Shard> serving = new AtomicReference<>();

  ShardSlot(int number, ShardLoop loop, ShardQueueLimit queue, ShardMetrics metrics) {
    this.number = number;
    this.loop = loop;
    this.queue = queue;
    this.metrics = metrics;
  }

  ShardLoop loop() {
    return loop;
  }

  /** Commands that wait for the shard. */
  int waiting() {
    return queue.waiting();
  }

  /** Has the loop run work for the shard, or refuses it. */
  void submit(CommandPriority priority, Consumer<Shard> work, Consumer<Failure> refusal) {
    ShardTask task = admit(priority, work, refusal);
    if (task != null) {
      loop.submit(priority, task);
    }
  }

  /** For snapshots: the more rows, the longer they take. */
  void submitSlow(Consumer<Shard> work, Consumer<Failure> refusal) {
    ShardTask task = admit(CommandPriority.NORMAL, work, refusal);
    if (task != null) {
      loop.submitSlow(task);
    }
  }

  /** Null if it was refused. */
  private ShardTask admit(
      CommandPriority priority, Consumer<Shard> work, Consumer<Failure> refusal) {
    Shard to = serving.get();
    if (to == null) {
      refusal.accept(ShardFailures.noEffect(number));
      return null;
    }
    if (!queue.enter(priority)) {
      metrics.refused();
      refusal.accept(ShardFailures.overloaded(number));
      return null;
    }
    return new ShardTask(to, queue, work);
  }

  /** Has the loop run work that nobody waits for, if the shard is served here. */
  void execute(Consumer<Shard> work) {
    Shard shard = serving.get();
    if (shard != null) {
      loop.execute(() -> shard.guarded(work));
    }
  }

  /** Commands reach the shard from now on. */
  void serve(Shard shard) {
    // Before any command can reach it, since it starts the shard's time.
    loop.execute(() -> loop.add(shard));
    serving.set(shard);
  }

  /** Takes the shard out, so that no command reaches it any more; null if it is not here. */
  Shard take() {
    return serving.getAndSet(null);
  }

  /** Has the shard decide nothing more; completes when all that it decided is durable or lost. */
  CompletableFuture<Void> drain(Shard taken) {
    CompletableFuture<Void> quiet = new CompletableFuture<>();
    queue.enterAnyway();
    ShardTask stop =
        new ShardTask(
            taken,
            queue,
            stopping -> {
              stopping.stop();
              stopping.whenQuiet(() -> quiet.complete(null));
            });
    loop.submit(CommandPriority.NORMAL, stop);
    return quiet;
  }

  /** Tells all who still wait for the shard that it is gone, and takes it out of its loop. */
  CompletableFuture<Void> dismiss(Shard taken) {
    return CompletableFuture.runAsync(
        () -> {
          taken.leave();
          loop.remove(taken);
        },
        loop);
  }

  boolean isServed() {
    Shard here = serving.get();
    return here != null && !here.isLost();
  }

  /** True if there is something here to give up. */
  boolean isLost() {
    Shard here = serving.get();
    return here != null && here.isLost();
  }

  /** The route of calls to this node; null if it does not serve the shard. */
  Route route() {
    Shard here = serving.get();
    return here != null && !here.isLost() ? here.route() : null;
  }

  /** Number of the last durable commit; empty if the shard is not served here. */
  OptionalLong revision() {
    Shard here = serving.get();
    return here == null || here.isLost()
        ? OptionalLong.empty()
        : OptionalLong.of(here.hub().revision());
  }
}
