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

  private final FailoverEtcdClient failoverEtcdClient;
  private final EtcdKeys etcdKeys;
  private final StoreMetrics metrics;
  private volatile long seen;

  Compaction(FailoverEtcdClient failoverEtcdClient, EtcdKeys etcdKeys, StoreMetrics metrics) {
    this.failoverEtcdClient = failoverEtcdClient;
    this.etcdKeys = etcdKeys;
    this.metrics = metrics;
  }

  /** One pass. What fails is done by a later pass, here or on another node. */
  CompletableFuture<Void> run() {
    long before = seen;
    return failoverEtcdClient
        .txn(List.of(), List.of(Op.get(etcdKeys.shards(), COUNT)), List.of())
        .thenAccept(now -> seen = now.getHeader().getRevision())
        .thenCompose(now -> before == 0 || before == seen ? done() : compact(before))
        .exceptionally(failed -> null);
  }

  /** Called where another node compacts: what this one saw last is not what it would go by. */
  void pause() {
    seen = 0;
  }

  private CompletableFuture<Void> compact(long revision) {
    return failoverEtcdClient
        .call(via -> via.getKVClient().compact(revision))
        .thenAccept(compacted -> metrics.compacted());
  }

  private static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }
}
