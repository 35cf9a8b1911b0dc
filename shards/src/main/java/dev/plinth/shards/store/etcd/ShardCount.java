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

  static void check(Etcd etcd, Keys keys, int shards) {
    ByteSequence key = keys.shards();
    TxnResponse answer =
        Failing.write(
            "cannot see how many shards there are",
            etcd.txn(
                List.of(new Cmp(key, Cmp.Op.EQUAL, CmpTarget.version(0))),
                List.of(Op.put(key, Keys.bytes(String.valueOf(shards)), PutOption.DEFAULT)),
                List.of(Op.get(key, GetOption.DEFAULT))));
    if (!answer.isSucceeded()) {
      long stored = Keys.number(answer.getGetResponses().get(0));
      if (stored != shards) {
        throw Failing.notApplied(
            "%s says %d shards (expected: %d)".formatted(Keys.text(key), stored, shards), null);
      }
    }
  }
}
