package dev.plinth.shards.store;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A shard in the hands of its one owner. Used by one thread at a time. */
public interface OwnedShard {
  int shard();

  long epoch();

  /** Number of the last commit, 0 before the first. It goes on over changes of owner. */
  long revision();

  /** Every row, as the last commit left them. Not while a commit is under way. */
  List<Row> load();

  /**
   * Applies the writes, all or none, as the commit after the last one. Commits are applied in the
   * order they are handed in; the next may be handed in before this one is done.
   *
   * <p>Completes with {@link CommitResult#DONE} when the writes are durable and with {@link
   * CommitResult#DEPOSED} when the shard is no longer ours and they surely are not. Fails with
   * StoreUnavailable when the outcome cannot be learned, or when an earlier commit failed: the
   * owner must then drop the shard, and whoever claims it next sees what was applied.
   */
  CompletableFuture<CommitResult> commit(List<Write> writes);

  /**
   * The same claim once more, as the last commit that was applied left it: for an owner whose
   * commit was refused because the store is read-only, so that it can throw away what it had
   * decided and load the rows without making a claim. This object is then of no more use. Empty
   * where the claim is over, or something sent under it may yet be applied: release it.
   */
  default Optional<OwnedShard> reclaim() {
    return Optional.empty();
  }

  /**
   * Gives the shard up, so that another node may claim it at once. Does nothing if it is lost
   * already.
   */
  void release();

  /**
   * True once this claim is surely over. An owner that commits nothing learns it nowhere else, and
   * must then release the shard: the store's authority does not move on before.
   */
  boolean isLost();

  /** How a commit ended. */
  enum CommitResult {
    DONE,
    DEPOSED
  }
}
