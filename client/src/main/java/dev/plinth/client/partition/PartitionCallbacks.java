package dev.plinth.client.partition;

import dev.plinth.client.internal.SerialExecutor;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Tells the application of its partitions: those of one partition one after the other, those of
 * different ones side by side.
 */
final class PartitionCallbacks {
  private final Executor threads;
  private final Consumer<Owned> onAssigned;
  private final Consumer<Owned> onRevoked;
  private final Map<Integer, SerialExecutor> queues = new HashMap<>();

  PartitionCallbacks(Executor threads, Consumer<Owned> onAssigned, Consumer<Owned> onRevoked) {
    this.threads = threads;
    this.onAssigned = onAssigned;
    this.onRevoked = onRevoked;
  }

  void assigned(Owned partition) {
    queue(partition).execute(() -> onAssigned.accept(partition));
  }

  /**
   * @param then runs when the application has returned, or has thrown
   */
  void revoked(Owned partition, Runnable then) {
    queue(partition)
        .execute(
            () -> {
              try {
                onRevoked.accept(partition);
              } finally {
                then.run();
              }
            });
  }

  private SerialExecutor queue(Owned partition) {
    return queues.computeIfAbsent(partition.partition(), each -> new SerialExecutor(threads));
  }
}
