package dev.plinth.shards;

import java.util.ArrayDeque;

/**
 * Normal work of one shard that waits, in order, while the shard's commits are held up: more
 * commands now would only make the queue behind them longer. The loop's other shards go on.
 */
final class HeldBackTasks {
  private final CommitPipeline commits;
  private final ArrayDeque<ShardTask> tasks = new ArrayDeque<>();
  private boolean holding;

  HeldBackTasks(CommitPipeline commits) {
    this.commits = commits;
  }

  /** Whether work has to wait is decided once for a pass of the loop. */
  void beginPass() {
    holding = commits.isCongested();
  }

  /** Keeps a task for later, behind those that are kept already, if it must wait; else false. */
  boolean hold(ShardTask task) {
    if (!holding && tasks.isEmpty()) {
      return false;
    }
    tasks.add(task);
    return true;
  }

  /** What was kept, if there is room now; null if there is nothing to run here. */
  ShardTask poll(boolean takesSlow) {
    ShardTask next = holding ? null : tasks.peek();
    return next == null || next.isSlow() && !takesSlow ? null : tasks.poll();
  }

  /** Whether something was kept and could run in the next pass. */
  boolean hasWork() {
    return !tasks.isEmpty() && !commits.isCongested();
  }
}
