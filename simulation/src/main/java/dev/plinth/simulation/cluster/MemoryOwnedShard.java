package dev.plinth.simulation.cluster;

import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.Row;
import dev.plinth.shards.store.Write;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A claim on a shard of the {@link MemoryStoreEngine}. Sends one commit after the other. */
final class MemoryOwnedShard implements OwnedShard {
  private static final int ATTEMPTS = 3;

  private final MemoryShardStore store;
  private final int shard;
  private final String session;
  private final MemoryStoreEngine.Claimed claimed;
  private CompletableFuture<CommitResult> last =
      CompletableFuture.completedFuture(CommitResult.DONE);
  private long revision;
  private boolean lost;

  MemoryOwnedShard(
      MemoryShardStore store, int shard, String session, MemoryStoreEngine.Claimed claimed) {
    this.store = store;
    this.shard = shard;
    this.session = session;
    this.claimed = claimed;
    this.revision = claimed.revision();
  }

  @Override
  public int shard() {
    return shard;
  }

  @Override
  public long epoch() {
    return claimed.epoch();
  }

  @Override
  public long revision() {
    return revision;
  }

  @Override
  public List<Row> load() {
    return claimed.rows();
  }

  @Override
  public CompletableFuture<CommitResult> commit(List<Write> writes) {
    long number = ++revision;
    List<Write> copy = new ArrayList<>(writes);
    CompletableFuture<CommitResult> result = new CompletableFuture<>();
    last.whenComplete(
        (before, thrown) -> {
          if (thrown != null) {
            result.completeExceptionally(
                StoreUnavailable.outcomeUnknown(
                    "coordination", "an earlier commit failed", thrown));
          } else if (before == CommitResult.DEPOSED) {
            result.complete(CommitResult.DEPOSED);
          } else {
            send(number, copy, ATTEMPTS, result);
          }
        });
    last = result;
    return result;
  }

  private void send(
      long number, List<Write> writes, int attempts, CompletableFuture<CommitResult> result) {
    store
        .requests()
        .send(() -> store.engine().commit(shard, session, epoch(), number, writes))
        .whenComplete(
            (done, thrown) -> {
              if (thrown == null) {
                lost |= done == CommitResult.DEPOSED;
                result.complete(done);
              } else if (attempts > 1) {
                send(number, writes, attempts - 1, result);
              } else {
                lost = true;
                result.completeExceptionally(
                    StoreUnavailable.outcomeUnknown("coordination", "no answer", thrown));
              }
            });
  }

  @Override
  public void release() {
    lost = true;
    store.released(shard, epoch());
    last.whenComplete(
        (done, thrown) ->
            store
                .requests()
                .send(
                    () -> {
                      store.engine().release(shard, session, epoch());
                      return true;
                    }));
  }

  @Override
  public boolean isLost() {
    return lost || !session.equals(store.session());
  }
}
