package dev.plinth.shards;

import dev.plinth.server.failure.Failure;
import java.util.concurrent.CompletableFuture;

/** A caller's future on one side, the shard's view of it on the other. */
final class PendingReply<R> implements Reply<R> {
  private final CompletableFuture<R> future = new CompletableFuture<>();
  private Shard shard;
  private boolean decided;

  CompletableFuture<R> future() {
    return future;
  }

  void bind(Shard to) {
    shard = to;
  }

  @Override
  public void send(Tx tx, R answer) {
    decide(tx, () -> future.complete(answer));
  }

  @Override
  public void fail(Tx tx, Failure failure) {
    decide(tx, () -> future.completeExceptionally(failure));
  }

  @Override
  public void sendNow(R answer) {
    if (!decided) {
      decided = true;
      leave(() -> future.complete(answer));
    }
  }

  @Override
  public boolean isAbandoned() {
    return future.isDone();
  }

  /** At once, whatever else is on its way: the shard is gone. */
  void refuse(Failure why) {
    decided = true;
    future.completeExceptionally(why);
  }

  private void decide(Tx tx, Runnable completion) {
    if (!decided) {
      decided = true;
      ((ShardTx) tx).answer(() -> leave(completion));
    }
  }

  private void leave(Runnable completion) {
    shard.answered(this);
    completion.run();
  }
}
