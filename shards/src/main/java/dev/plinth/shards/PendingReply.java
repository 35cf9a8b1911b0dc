package dev.plinth.shards;

import dev.plinth.server.failure.Failure;
import java.util.concurrent.CompletableFuture;

/** A caller's future on one side, the shard's view of it on the other. */
final class PendingReply<R> implements Reply<R> {
  private final CompletableFuture<R> future = new CompletableFuture<>();
  // Its neighbours in the shard's UnansweredReplies.
  PendingReply<?> before;
  PendingReply<?> after;

  private boolean decided;
  private boolean touched;
  private boolean hadEffect;

  CompletableFuture<R> future() {
    return future;
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
  public void hadEffect() {
    hadEffect = true;
  }

  @Override
  public boolean isAbandoned() {
    return future.isDone();
  }

  /** Whether the command wrote anything. */
  void touched(boolean now) {
    touched = now;
  }

  /** The shard is gone: one that surely had no effect learns that, any other why. */
  void drop(Failure why, Failure untouched) {
    refuse(decided || touched || hadEffect ? why : untouched);
  }

  /** At once, whatever else is on its way. */
  void refuse(Failure why) {
    decided = true;
    future.completeExceptionally(why);
  }

  /** Takes it out of the replies that its shard owes; does nothing if it is not among them. */
  void unlink() {
    if (before != null) {
      before.after = after;
      after.before = before;
      before = null;
      after = null;
    }
  }

  private void decide(Tx tx, Runnable completion) {
    if (!decided) {
      decided = true;
      ((ShardTx) tx).answer(() -> leave(completion));
    }
  }

  private void leave(Runnable completion) {
    unlink();
    completion.run();
  }
}
