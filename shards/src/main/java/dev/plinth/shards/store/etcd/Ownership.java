package dev.plinth.shards.store.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The keys that say who owns each shard. Each goes with the lease of its owner's session. */
final class Ownership {
  /** A claim that succeeded: its epoch is the etcd revision that made the key. */
  record Claimed(int shard, long epoch, long revision) {}

  /** A shard and the epoch of its key. */
  record Held(int shard, long epoch) {}

  private final FailoverEtcdClient failoverEtcdClient;
  private final EtcdKeys etcdKeys;
  private final ByteSequence node;

  Ownership(FailoverEtcdClient failoverEtcdClient, EtcdKeys etcdKeys, String node) {
    this.failoverEtcdClient = failoverEtcdClient;
    this.etcdKeys = etcdKeys;
    this.node = EtcdKeys.bytes(node);
  }

  /**
   * Empty where the shard has an owner. Who claims has seen a moment before that it has none, so
   * this is one request: nobody serves the shard meanwhile.
   */
  Optional<Claimed> claim(int shard, NodeSession nodeSession) {
    TxnResponse answer = make(shard, nodeSession);
    Optional<KeyValue> stray =
        answer.isSucceeded() ? Optional.empty() : strayOf(answer, nodeSession);
    if (stray.isPresent()) {
      // Left by a claim or a release whose outcome was not known. Not to be taken over: a commit
      // that is still on its way under its epoch would pass for one of ours.
      failoverEtcdClient.write(
          "cannot free shard " + shard, delete(shard, stray.get().getCreateRevision()));
      answer = make(shard, nodeSession);
    }
    return answer.isSucceeded() ? Optional.of(claimed(shard, answer)) : Optional.empty();
  }

  private TxnResponse make(int shard, NodeSession nodeSession) {
    ByteSequence owner = etcdKeys.owner(shard);
    PutOption leased = PutOption.builder().withLeaseId(nodeSession.lease()).build();
    return failoverEtcdClient.write(
        "cannot claim shard " + shard,
        failoverEtcdClient.txn(
            List.of(new Cmp(owner, Cmp.Op.EQUAL, CmpTarget.createRevision(0))),
            List.of(
                Op.put(owner, node, leased), Op.get(etcdKeys.revision(shard), GetOption.DEFAULT)),
            List.of(Op.get(owner, GetOption.DEFAULT))));
  }

  private static Optional<KeyValue> strayOf(TxnResponse refused, NodeSession nodeSession) {
    return EtcdKeys.only(refused.getGetResponses().get(0))
        .filter(owner -> owner.getLease() == nodeSession.lease());
  }

  private static Claimed claimed(int shard, TxnResponse made) {
    return new Claimed(
        shard, made.getHeader().getRevision(), EtcdKeys.number(made.getGetResponses().get(0)));
  }

  CompletableFuture<TxnResponse> delete(int shard, long epoch) {
    return new FencedTxns(failoverEtcdClient, etcdKeys, shard, epoch).delete();
  }

  /** What hangs on a session. */
  CompletableFuture<List<Held>> of(NodeSession nodeSession) {
    return all()
        .thenApply(
            kvs ->
                kvs.stream()
                    .filter(kv -> kv.getLease() == nodeSession.lease())
                    .map(kv -> new Held(etcdKeys.ownedShard(kv.getKey()), kv.getCreateRevision()))
                    .toList());
  }

  private CompletableFuture<List<KeyValue>> all() {
    GetOption prefix = GetOption.builder().isPrefix(true).build();
    return failoverEtcdClient.get(etcdKeys.owners(), prefix).thenApply(GetResponse::getKvs);
  }
}
