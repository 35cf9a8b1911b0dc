package dev.plinth.shards.store.etcd;

import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.kv.TxnResponse;
import java.util.concurrent.CompletableFuture;

/** Sends transactions to one member of etcd, in the order in which they are handed in. */
public interface TxnSender extends AutoCloseable {
  /**
   * Ends within the timeout that the sender was opened with. Fails with etcd's own status; after
   * any that does not say so, the transaction may have been applied or may yet be.
   */
  CompletableFuture<TxnResponse> send(TxnRequest request);

  /** What is under way fails. */
  @Override
  void close();
}
