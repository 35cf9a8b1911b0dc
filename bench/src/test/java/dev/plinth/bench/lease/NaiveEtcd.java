package dev.plinth.bench.lease;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/** What one writes first: an etcd lease, a transaction and a revoke for every lock. */
final class NaiveEtcd implements AutoCloseable {
  private final Client client;

  NaiveEtcd(String endpoint) {
    client = Client.builder().endpoints("http://" + endpoint).build();
  }

  /** Takes a key and gives it back. */
  CompletableFuture<?> cycle(int caller) {
    ByteSequence key = ByteSequence.from("naive/" + caller, StandardCharsets.UTF_8);
    return client
        .getLeaseClient()
        .grant(10)
        .thenCompose(
            lease -> {
              Cmp absent = new Cmp(key, Cmp.Op.EQUAL, CmpTarget.createRevision(0));
              PutOption bound = PutOption.builder().withLeaseId(lease.getID()).build();
              return client
                  .getKVClient()
                  .txn()
                  .If(absent)
                  .Then(Op.put(key, key, bound))
                  .commit()
                  .thenCompose(
                      taken -> {
                        if (!taken.isSucceeded()) {
                          throw new IllegalStateException("held by another");
                        }
                        return client.getLeaseClient().revoke(lease.getID());
                      });
            });
  }

  @Override
  public void close() {
    client.close();
  }
}
