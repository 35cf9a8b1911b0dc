package dev.plinth.simulation.store.etcd;

import com.google.protobuf.ByteString;
import dev.plinth.shards.store.etcd.TxnSender;
import dev.plinth.simulation.etcd.SimulatedEtcdConnection;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Sends transactions of the adapter over a simulated connection, which takes jetcd's own types. */
record EtcdTxns(SimulatedEtcdConnection connection) implements TxnSender {
  @Override
  public CompletableFuture<TxnResponse> send(TxnRequest request) {
    return connection.send(
        compares(request.getCompareList()),
        ops(request.getSuccessList()),
        ops(request.getFailureList()));
  }

  private static List<Cmp> compares(List<Compare> compares) {
    return compares.stream().map(EtcdTxns::compare).toList();
  }

  private static Cmp compare(Compare compare) {
    Cmp.Op op =
        switch (compare.getResult()) {
          case EQUAL -> Cmp.Op.EQUAL;
          case GREATER -> Cmp.Op.GREATER;
          case LESS -> Cmp.Op.LESS;
          case NOT_EQUAL -> Cmp.Op.NOT_EQUAL;
          default -> throw new IllegalArgumentException(compare.toString());
        };
    CmpTarget<?> target =
        switch (compare.getTarget()) {
          case VERSION -> CmpTarget.version(compare.getVersion());
          case CREATE -> CmpTarget.createRevision(compare.getCreateRevision());
          case MOD -> CmpTarget.modRevision(compare.getModRevision());
          case VALUE -> CmpTarget.value(bytes(compare.getValue()));
          default -> throw new IllegalArgumentException(compare.toString());
        };
    return new Cmp(bytes(compare.getKey()), op, target);
  }

  private static List<Op> ops(List<RequestOp> ops) {
    return ops.stream().map(EtcdTxns::op).toList();
  }

  private static Op op(RequestOp op) {
    return switch (op.getRequestCase()) {
      case REQUEST_PUT -> put(op.getRequestPut());
      case REQUEST_RANGE -> range(op.getRequestRange());
      case REQUEST_DELETE_RANGE -> delete(op.getRequestDeleteRange());
      case REQUEST_TXN -> txn(op.getRequestTxn());
      default -> throw new IllegalArgumentException(op.toString());
    };
  }

  private static Op put(PutRequest put) {
    PutOption.Builder option = PutOption.builder().withLeaseId(put.getLease());
    if (put.getPrevKv()) {
      option.withPrevKV();
    }
    return Op.put(bytes(put.getKey()), bytes(put.getValue()), option.build());
  }

  private static Op range(RangeRequest range) {
    GetOption.Builder option =
        GetOption.builder()
            .withLimit(range.getLimit())
            .withRevision(range.getRevision())
            .withSerializable(range.getSerializable())
            .withKeysOnly(range.getKeysOnly())
            .withCountOnly(range.getCountOnly());
    if (!range.getRangeEnd().isEmpty()) {
      option.withRange(bytes(range.getRangeEnd()));
    }
    return Op.get(bytes(range.getKey()), option.build());
  }

  private static Op delete(DeleteRangeRequest delete) {
    DeleteOption.Builder option = DeleteOption.builder().withPrevKV(delete.getPrevKv());
    if (!delete.getRangeEnd().isEmpty()) {
      option.withRange(bytes(delete.getRangeEnd()));
    }
    return Op.delete(bytes(delete.getKey()), option.build());
  }

  private static Op txn(TxnRequest txn) {
    return Op.txn(
        compares(txn.getCompareList()).toArray(Cmp[]::new),
        ops(txn.getSuccessList()).toArray(Op[]::new),
        ops(txn.getFailureList()).toArray(Op[]::new));
  }

  private static ByteSequence bytes(ByteString value) {
    return ByteSequence.from(value);
  }

  @Override
  public void close() {
    connection.close();
  }
}
