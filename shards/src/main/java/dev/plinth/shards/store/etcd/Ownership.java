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

  private static final GetOption AT_HAND = GetOption.builder().withSerializable(true).build();

  private final Etcd etcd;
  private final Keys keys;
  private final ByteSequence node;

  Ownership(Etcd etcd, Keys keys, String node) {
    this.etcd = etcd;
    this.keys = keys;
    this.node = Keys.bytes(node);
  }

  /** Empty where the shard has an owner. */
  Optional<Claimed> claim(int shard, Session session) {
    if (isOthers(shard, session)) {
      return Optional.empty();
    }
    TxnResponse answer = make(shard, session);
    Optional<KeyValue> stray = answer.isSucceeded() ? Optional.empty() : strayOf(answer, session);
    if (stray.isPresent()) {
      // Left by a claim or a release whose outcome was not known. Not to be taken over: a commit
      // that is still on its way under its epoch would pass for one of ours.
      Failing.write("cannot free shard " + shard, delete(shard, stray.get().getCreateRevision()));
      answer = make(shard, session);
    }
    return answer.isSucceeded() ? Optional.of(claimed(shard, answer)) : Optional.empty();
  }

  /** A look before the leap: etcd logs and syncs even a transaction that then changes nothing. */
  private boolean isOthers(int shard, Session session) {
    return Failing.read("cannot see who owns shard " + shard, etcd.get(keys.owner(shard), AT_HAND))
        .getKvs()
        .stream()
        .anyMatch(owner -> owner.getLease() != session.lease());
  }

  private TxnResponse make(int shard, Session session) {
    ByteSequence owner = keys.owner(shard);
    PutOption leased = PutOption.builder().withLeaseId(session.lease()).build();
    return Failing.write(
        "cannot claim shard " + shard,
        etcd.txn(
            List.of(new Cmp(owner, Cmp.Op.EQUAL, CmpTarget.createRevision(0))),
            List.of(Op.put(owner, node, leased), Op.get(keys.revision(shard), GetOption.DEFAULT)),
            List.of(Op.get(owner, GetOption.DEFAULT))));
  }

  private static Optional<KeyValue> strayOf(TxnResponse refused, Session session) {
    return Keys.only(refused.getGetResponses().get(0))
        .filter(owner -> owner.getLease() == session.lease());
  }

  private static Claimed claimed(int shard, TxnResponse made) {
    return new Claimed(
        shard, made.getHeader().getRevision(), Keys.number(made.getGetResponses().get(0)));
  }

  CompletableFuture<TxnResponse> delete(int shard, long epoch) {
    return new FencedTxns(etcd, keys, shard, epoch).delete();
  }

  /** What hangs on a session. */
  CompletableFuture<List<Held>> of(Session session) {
    return all()
        .thenApply(
            kvs ->
                kvs.stream()
                    .filter(kv -> kv.getLease() == session.lease())
                    .map(kv -> new Held(keys.ownedShard(kv.getKey()), kv.getCreateRevision()))
                    .toList());
  }

  private CompletableFuture<List<KeyValue>> all() {
    GetOption prefix = GetOption.builder().isPrefix(true).build();
    return etcd.get(keys.owners(), prefix).thenApply(GetResponse::getKvs);
  }
}
