package dev.plinth.bench.lease;

import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.OwnedShard.CommitResult;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.Write;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * One shard's commits, each begun when the last is durable: the most that hand-offs of one key can
 * reach, since the next holder lets go only after it was told of its grant. A commit writes as much
 * as a hand-off does.
 */
final class StoreCommits {
  private static final String HOLD = "lease/k/hot/one @";
  private static final byte[] ROW = new byte[80];
  private static final byte[] EVENTS = new byte[1000];

  private final OwnedShard shard;
  private long number;

  StoreCommits(ShardStore store) {
    shard = store.claim(0).orElseThrow();
  }

  CompletableFuture<?> next() {
    List<Write> writes =
        List.of(
            Write.delete(HOLD + number),
            Write.put(HOLD + ++number, ROW),
            Write.put("lease/h/1", EVENTS));
    return shard
        .commit(writes)
        .thenAccept(
            done -> {
              if (done != CommitResult.DONE) {
                throw new IllegalStateException(done.name());
              }
            });
  }
}
