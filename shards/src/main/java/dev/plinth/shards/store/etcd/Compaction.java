package dev.plinth.shards.store.etcd;

import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Lets etcd forget old revisions of rows, which nothing here ever reads. Each pass compacts to
 * where the pass before it stood, so that an operator who looks at the past, or a reader of many
 * pages, has at least that long.
 */
final class Compaction {
  private static final GetOption COUNT =
      GetOption.builder().withSerializable(true).withCountOnly(true).build();

  private final Etcd etcd;
  private final Keys keys;
  private final StoreMetrics metrics;
  private volatile long seen;

  Compaction(Etcd etcd, Keys keys, StoreMetrics metrics) {
    this.etcd = etcd;
    this.keys = keys;
    this.metrics = metrics;
  }

  /** One pass. What fails is done by a later pass, here or on another node. */
  CompletableFuture<Void> run() {
    long before = seen;
    return etcd.txn(List.of(), List.of(Op.get(keys.shards(), COUNT)), List.of())
        .thenAccept(now -> seen = now.getHeader().getRevision())
        .thenCompose(now -> before == 0 || before == seen ? done() : compact(before))
        .exceptionally(failed -> null);
  }

  /** Called where another node compacts: what this one saw last is not what it would go by. */
  void pause() {
    seen = 0;
  }

  private CompletableFuture<Void> compact(long revision) {
    return etcd.call(via -> via.getKVClient().compact(revision))
        .thenAccept(compacted -> metrics.compacted());
  }

  private static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }
}
