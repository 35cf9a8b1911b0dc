package dev.plinth.shards.store.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import java.util.List;

/** The number of shards, which the first node writes down and every other must agree with. */
final class ShardCount {
  private ShardCount() {}

  static void check(FailoverEtcdClient failoverEtcdClient, EtcdKeys etcdKeys, int shards) {
    ByteSequence key = etcdKeys.shards();
    TxnResponse answer =
        failoverEtcdClient.write(
            "cannot see how many shards there are",
            failoverEtcdClient.txn(
                List.of(new Cmp(key, Cmp.Op.EQUAL, CmpTarget.version(0))),
                List.of(Op.put(key, EtcdKeys.bytes(String.valueOf(shards)), PutOption.DEFAULT)),
                List.of(Op.get(key, GetOption.DEFAULT))));
    if (!answer.isSucceeded()) {
      long stored = EtcdKeys.number(answer.getGetResponses().get(0));
      if (stored != shards) {
        throw EtcdFailure.notApplied(
            "%s says %d shards (expected: %d)".formatted(EtcdKeys.text(key), stored, shards), null);
      }
    }
  }
}
