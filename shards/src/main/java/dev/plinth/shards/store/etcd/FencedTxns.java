package dev.plinth.shards.store.etcd;

import dev.plinth.shards.store.Write;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Transactions on one shard that have an effect only while one claim of it stands. */
final class FencedTxns {
  private final FailoverEtcdClient failoverEtcdClient;
  private final int shard;
  private final ByteSequence owner;
  private final ByteSequence revision;
  private final ByteSequence rows;
  private final ByteSequence rowsEnd;
  private final long epoch;

  FencedTxns(FailoverEtcdClient failoverEtcdClient, EtcdKeys etcdKeys, int shard, long epoch) {
    this.failoverEtcdClient = failoverEtcdClient;
    this.shard = shard;
    this.owner = etcdKeys.owner(shard);
    this.revision = etcdKeys.revision(shard);
    this.rows = etcdKeys.rows(shard);
    this.rowsEnd = etcdKeys.rowsEnd(shard);
    this.epoch = epoch;
  }

  /** Commits that leave together with those of other shards. */
  CommitSender.CommitTransport through(CommitBundler commitBundler) {
    return new CommitSender.CommitTransport() {
      @Override
      public CompletableFuture<CommitSender.CommitStatus> send(long number, List<Write> writes) {
        return commitBundler
            .add(commit(number, writes))
            .thenApply(
                done ->
                    done.isSucceeded()
                        ? new CommitSender.CommitStatus(true, number)
                        : answer(done));
      }

      @Override
      public CompletableFuture<CommitSender.CommitStatus> readBack() {
        return failoverEtcdClient
            .txn(List.of(), state(), List.of())
            .thenApply(FencedTxns.this::answer);
      }
    };
  }

  private CommitBundler.Part commit(long number, List<Write> writes) {
    List<Op> changes = new ArrayList<>(writes.size() + 1);
    int bytes = 0;
    for (Write write : writes) {
      changes.add(change(write));
      bytes += rows.size() + write.bytes();
    }
    changes.add(Op.put(revision, decimal(number), PutOption.DEFAULT));
    List<Cmp> guards = List.of(ours(), lastCommitIs(number - 1));
    return new CommitBundler.Part(shard, guards, changes, state(), bytes);
  }

  /** What the keys of all rows begin with. */
  ByteSequence rows() {
    return rows;
  }

  /**
   * Up to {@code limit} rows from a key on. Not succeeded where the claim is over.
   *
   * <p>Each page is as of its own time: while the claim stands, nobody else changes the rows. Pages
   * as of one revision would fail when it is compacted.
   */
  CompletableFuture<TxnResponse> page(ByteSequence from, int limit) {
    GetOption range = GetOption.builder().withRange(rowsEnd).withLimit(limit).build();
    return failoverEtcdClient.txn(List.of(ours()), List.of(Op.get(from, range)), List.of());
  }

  /** Gives the shard up. */
  CompletableFuture<TxnResponse> delete() {
    return failoverEtcdClient.txn(
        List.of(ours()), List.of(Op.delete(owner, DeleteOption.DEFAULT)), List.of());
  }

  private Cmp ours() {
    return new Cmp(owner, Cmp.Op.EQUAL, CmpTarget.createRevision(epoch));
  }

  private Cmp lastCommitIs(long number) {
    CmpTarget<?> target = number == 0 ? CmpTarget.version(0) : CmpTarget.value(decimal(number));
    return new Cmp(revision, Cmp.Op.EQUAL, target);
  }

  private Op change(Write write) {
    ByteSequence key = rows.concat(EtcdKeys.bytes(write.key()));
    return write.isDelete()
        ? Op.delete(key, DeleteOption.DEFAULT)
        : Op.put(key, ByteSequence.from(write.value()), PutOption.DEFAULT);
  }

  private List<Op> state() {
    return List.of(Op.get(owner, GetOption.DEFAULT), Op.get(revision, GetOption.DEFAULT));
  }

  private CommitSender.CommitStatus answer(TxnResponse state) {
    List<GetResponse> found = state.getGetResponses();
    boolean ours =
        EtcdKeys.only(found.get(0)).filter(owner -> owner.getCreateRevision() == epoch).isPresent();
    return new CommitSender.CommitStatus(ours, EtcdKeys.number(found.get(1)));
  }

  private static ByteSequence decimal(long number) {
    return EtcdKeys.bytes(Long.toString(number));
  }
}
