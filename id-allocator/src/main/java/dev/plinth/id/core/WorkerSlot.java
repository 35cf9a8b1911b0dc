package dev.plinth.id.core;

import dev.plinth.shards.Tx;
import java.util.Comparator;

/**
 * One worker id and the times its ids may carry. The ceiling only rises while it is held; when it
 * is free, it is what the next holder starts above.
 */
final class WorkerSlot {
  /** The one to grant next: whoever had it last is furthest behind. */
  static final Comparator<WorkerSlot> LOWEST_FIRST =
      Comparator.<WorkerSlot>comparingLong(workerSlot -> workerSlot.ceiling)
          .thenComparingInt(workerSlot -> workerSlot.worker);

  final int worker;
  long epoch;
  String owner = "";
  long floor;
  long ceiling;

  /** Up to where the ceiling is in the store; no id may go higher. */
  long durable;

  /** When it is free again unless renewed, on the monotonic clock. */
  long deadline;

  Tx.Timer expiry;

  WorkerSlot(int worker, long neverUsed) {
    this.worker = worker;
    floor = neverUsed;
    ceiling = neverUsed;
    durable = neverUsed;
  }

  boolean isHeld() {
    return expiry != null;
  }

  boolean isHeldIn(long heldEpoch) {
    return isHeld() && epoch == heldEpoch;
  }

  void write(String name, Tx tx) {
    new IdRows.Worker(epoch, owner, floor, ceiling).put(name, worker, tx);
    long high = ceiling;
    long holder = epoch;
    tx.afterCommit(
        () -> {
          if (epoch == holder) {
            durable = Math.max(durable, high);
          }
        });
  }
}
