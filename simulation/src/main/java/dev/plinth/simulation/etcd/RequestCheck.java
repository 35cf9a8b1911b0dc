package dev.plinth.simulation.etcd;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What etcd refuses before it looks at its data. The order of the checks decides the answer. */
final class RequestCheck {
  static final int MAX_OPS = 128;
  static final int MAX_REQUEST_BYTES = 3 << 19;
  static final int MAX_MESSAGE_BYTES = MAX_REQUEST_BYTES + (512 << 10);

  // The envelope in which a request is logged: an id of nine bytes and the lengths of both parts.
  private static final int ENVELOPE_BYTES = 17;
  private static final Comparator<ByteString> ORDER =
      ByteString.unsignedLexicographicalComparator();

  private RequestCheck() {}

  /** Of every request, when it is received. */
  static void message(MessageLite request) {
    int bytes = request.getSerializedSize();
    if (bytes > MAX_MESSAGE_BYTES) {
      throw EtcdErrors.messageTooLarge(bytes, MAX_MESSAGE_BYTES);
    }
  }

  /** Of every request that goes into the log of the cluster. */
  static void logged(MessageLite request) {
    if (request.getSerializedSize() + ENVELOPE_BYTES > MAX_REQUEST_BYTES) {
      throw EtcdErrors.requestTooLarge();
    }
  }

  static void key(ByteString key) {
    if (key.isEmpty()) {
      throw EtcdErrors.emptyKey();
    }
  }

  static void put(PutRequest put) {
    key(put.getKey());
    if (put.getIgnoreValue() && !put.getValue().isEmpty()) {
      throw EtcdErrors.valueProvided();
    }
    if (put.getIgnoreLease() && put.getLease() != 0) {
      throw EtcdErrors.leaseProvided();
    }
  }

  static void txn(TxnRequest request) {
    operations(request, MAX_OPS);
    new Writes(request.getSuccessList());
    new Writes(request.getFailureList());
  }

  /** Whether any member may answer it from what it has. */
  static boolean isSerializable(TxnRequest request) {
    return operations(request).allMatch(op -> op.getRequestRange().getSerializable());
  }

  /** One that has others nested in it counts as writing, whatever they do. */
  static boolean isReadOnly(TxnRequest request) {
    return operations(request).allMatch(RequestOp::hasRequestRange);
  }

  private static Stream<RequestOp> operations(TxnRequest request) {
    return Stream.concat(request.getSuccessList().stream(), request.getFailureList().stream());
  }

  /** A transaction inside another may have as many operations as that leaves of the maximum. */
  private static void operations(TxnRequest request, int most) {
    int count =
        Math.max(
            request.getCompareCount(),
            Math.max(request.getSuccessCount(), request.getFailureCount()));
    if (count > most) {
      throw EtcdErrors.tooManyOps();
    }
    for (Compare compare : request.getCompareList()) {
      key(compare.getKey());
    }
    request.getSuccessList().forEach(op -> operation(op, most - count));
    request.getFailureList().forEach(op -> operation(op, most - count));
  }

  private static void operation(RequestOp op, int most) {
    switch (op.getRequestCase()) {
      case REQUEST_RANGE -> key(op.getRequestRange().getKey());
      case REQUEST_PUT -> put(op.getRequestPut());
      case REQUEST_DELETE_RANGE -> key(op.getRequestDeleteRange().getKey());
      case REQUEST_TXN -> operations(op.getRequestTxn(), most);
      case REQUEST_NOT_SET -> throw EtcdErrors.keyNotFound();
    }
  }

  /**
   * The keys that a list of operations puts and deletes, refused where they overlap. As in etcd, a
   * transaction may delete what one before it in the same list puts, but not the other way round.
   */
  private static final class Writes {
    private final Set<ByteString> puts = new HashSet<>();
    private final List<DeleteRangeRequest> deletes = new ArrayList<>();

    Writes(List<RequestOp> ops) {
      ops.stream()
          .filter(RequestOp::hasRequestDeleteRange)
          .forEach(op -> deletes.add(op.getRequestDeleteRange()));
      ops.stream().filter(RequestOp::hasRequestTxn).forEach(op -> nested(op.getRequestTxn()));
      ops.stream()
          .filter(RequestOp::hasRequestPut)
          .forEach(op -> put(op.getRequestPut().getKey(), Set.of()));
    }

    private void nested(TxnRequest txn) {
      Writes then = new Writes(txn.getSuccessList());
      Writes otherwise = new Writes(txn.getFailureList());
      then.puts.forEach(key -> put(key, Set.of()));
      otherwise.puts.forEach(key -> put(key, then.puts));
      deletes.addAll(then.deletes);
      deletes.addAll(otherwise.deletes);
    }

    /**
     * @param other keys of the branch that is not taken if this one is
     */
    private void put(ByteString key, Set<ByteString> other) {
      boolean twice = !puts.add(key) && !other.contains(key);
      if (twice || deletes.stream().anyMatch(delete -> covers(delete, key))) {
        throw EtcdErrors.duplicateKey();
      }
    }

    /** Here etcd does not know that an end of one zero byte means all keys. */
    private static boolean covers(DeleteRangeRequest delete, ByteString key) {
      ByteString end = delete.getRangeEnd();
      return end.isEmpty()
          ? delete.getKey().equals(key)
          : ORDER.compare(delete.getKey(), key) <= 0 && ORDER.compare(key, end) < 0;
    }
  }
}
