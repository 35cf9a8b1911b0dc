package dev.plinth.simulation.etcd;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.etcd.jetcd.api.CompactionRequest;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.Compare.CompareResult;
import io.etcd.jetcd.api.Compare.CompareTarget;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeRequest.SortOrder;
import io.etcd.jetcd.api.RangeRequest.SortTarget;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Requests over few keys, revisions and leases, so that they meet. About one in ten is one that
 * etcd refuses for its form.
 */
final class RandomRequests {
  // No more than 12: of equal rows etcd's sort keeps the order only up to so many.
  private static final List<ByteString> KEYS =
      Stream.of("a", "a/", "a/1", "a/2", "a0", "b", "b/1", "c", "\u00ff", "\0")
          .map(RandomRequests::latin)
          .toList();
  private static final ByteString ZERO = latin("\0");
  private static final int MAX_DEPTH = 3;

  private final RandomGenerator random;
  private final List<Long> leases = new ArrayList<>();
  // By the transaction that is being made: what nested ones compare is often among it.
  private final List<ByteString> written = new ArrayList<>();
  // In one transaction with puts that need a row, a delete of all keys kills etcd 3.4.
  private boolean deletesAll;

  RandomRequests(RandomGenerator random) {
    this.random = random;
  }

  private static ByteString latin(String text) {
    return ByteString.copyFrom(text, java.nio.charset.StandardCharsets.ISO_8859_1);
  }

  /** Used by later requests. */
  void granted(long lease) {
    leases.add(lease);
  }

  /**
   * @param revision the current one of the model
   */
  Message next(long revision) {
    int kind = random.nextInt(100);
    if (kind < 18) {
      return put();
    } else if (kind < 36) {
      return range(revision);
    } else if (kind < 44) {
      return delete();
    } else if (kind < 76) {
      deletesAll = oneIn(2);
      written.clear();
      return txn(revision, 0);
    } else if (kind < 79) {
      return wideTxn();
    } else if (kind < 84) {
      return CompactionRequest.newBuilder().setRevision(near(revision)).build();
    } else if (kind < 90) {
      return grant();
    } else if (kind < 94) {
      return LeaseRevokeRequest.newBuilder().setID(lease()).build();
    } else if (kind < 99) {
      return LeaseKeepAliveRequest.newBuilder().setID(lease()).build();
    }
    return largePut();
  }

  private boolean oneIn(int n) {
    return random.nextInt(n) == 0;
  }

  private <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private ByteString key() {
    return oneIn(200) ? ByteString.EMPTY : any(KEYS);
  }

  private ByteString end(ByteString key) {
    return switch (random.nextInt(8)) {
      case 0 -> ZERO;
      case 1 -> any(KEYS);
      case 2 -> latin("b");
      case 3 -> key.isEmpty() || key.byteAt(key.size() - 1) == -1 ? ZERO : prefixEnd(key);
      default -> ByteString.EMPTY;
    };
  }

  private static ByteString prefixEnd(ByteString key) {
    byte[] bytes = key.toByteArray();
    bytes[bytes.length - 1]++;
    return ByteString.copyFrom(bytes);
  }

  private ByteString value() {
    return latin(any(List.of("", "x", "y", "z", "\u00ff", "xy")));
  }

  private long lease() {
    return leases.isEmpty() || oneIn(6) ? random.nextLong(1, 4) : any(leases);
  }

  /** Around the current revision, mostly before it. */
  private long near(long revision) {
    return Math.max(oneIn(20) ? 0 : 1, revision + 2 - random.nextLong(12));
  }

  private PutRequest put() {
    PutRequest.Builder put = PutRequest.newBuilder().setKey(key()).setPrevKv(oneIn(3));
    if (oneIn(3)) {
      put.setLease(lease());
    }
    put.setIgnoreLease(oneIn(8));
    put.setIgnoreValue(oneIn(8));
    if (put.getIgnoreLease() && !oneIn(4)) {
      put.clearLease();
    }
    return put.getIgnoreValue() && !oneIn(4) ? put.build() : put.setValue(value()).build();
  }

  /** Mostly of a key that the transaction has not yet, since etcd refuses it twice. */
  private PutRequest putInTxn() {
    PutRequest.Builder put = put().toBuilder();
    if (deletesAll) {
      put.clearIgnoreLease().clearIgnoreValue();
    }
    List<ByteString> others = KEYS.stream().filter(key -> !written.contains(key)).toList();
    if (!others.isEmpty() && !oneIn(10)) {
      put.setKey(any(others));
    }
    written.add(put.getKey());
    return put.build();
  }

  private PutRequest largePut() {
    // Over the limit of the log, and over that of a message.
    int bytes = oneIn(2) ? RequestCheck.MAX_REQUEST_BYTES : RequestCheck.MAX_MESSAGE_BYTES;
    int over = oneIn(2) ? 0 : -200;
    // Without a lease, whose id may be a byte longer in one of the two.
    PutRequest.Builder put = put().toBuilder().clearLease();
    return put.setValue(ByteString.copyFrom(new byte[bytes + over])).build();
  }

  private DeleteRangeRequest delete() {
    ByteString key = key();
    // Mostly one key, so that rows gather.
    return DeleteRangeRequest.newBuilder()
        .setKey(key)
        .setRangeEnd(oneIn(3) ? end(key) : ByteString.EMPTY)
        .setPrevKv(oneIn(2))
        .build();
  }

  private DeleteRangeRequest partialDelete() {
    DeleteRangeRequest delete = delete();
    return delete.getRangeEnd().equals(ZERO) ? delete.toBuilder().clearRangeEnd().build() : delete;
  }

  private RangeRequest range(long revision) {
    if (oneIn(8)) {
      return sortedPart();
    }
    ByteString key = oneIn(4) ? ZERO : key();
    RangeRequest.Builder range =
        RangeRequest.newBuilder()
            .setKey(key)
            .setRangeEnd(key.equals(ZERO) ? ZERO : end(key))
            .setSerializable(oneIn(4))
            .setKeysOnly(oneIn(5))
            .setCountOnly(oneIn(8));
    if (oneIn(2)) {
      range.setLimit(random.nextLong(5));
    }
    if (oneIn(3)) {
      range.setRevision(oneIn(20) ? -1 : near(revision));
    }
    if (oneIn(2)) {
      range.setSortOrder(any(List.of(SortOrder.NONE, SortOrder.ASCEND, SortOrder.DESCEND)));
      range.setSortTargetValue(random.nextInt(SortTarget.VALUE.getNumber() + 1));
    }
    if (oneIn(6)) {
      range.setMinModRevision(near(revision)).setMaxModRevision(oneIn(2) ? near(revision) : 0);
    }
    if (oneIn(6)) {
      range
          .setMinCreateRevision(near(revision))
          .setMaxCreateRevision(oneIn(2) ? near(revision) : 0);
    }
    return range.build();
  }

  /** A target without an order: etcd cuts off first and sorts then. */
  private RangeRequest sortedPart() {
    return RangeRequest.newBuilder()
        .setKey(ZERO)
        .setRangeEnd(ZERO)
        .setLimit(random.nextLong(1, 4))
        .setSortTargetValue(random.nextInt(SortTarget.VALUE.getNumber() + 1))
        .build();
  }

  private TxnRequest txn(long revision, int depth) {
    TxnRequest.Builder txn = TxnRequest.newBuilder();
    repeat(3, () -> txn.addCompare(compare(revision)));
    repeat(4, () -> txn.addSuccess(op(revision, depth)));
    repeat(4, () -> txn.addFailure(op(revision, depth)));
    return txn.build();
  }

  private void repeat(int below, Runnable action) {
    IntStream.range(0, random.nextInt(below)).forEach(i -> action.run());
  }

  private RequestOp op(long revision, int depth) {
    RequestOp.Builder op = RequestOp.newBuilder();
    int kind = random.nextInt(40);
    if (oneIn(100)) {
      return op.build();
    } else if (kind < 14) {
      return op.setRequestPut(putInTxn()).build();
    } else if (kind < 24) {
      return op.setRequestRange(range(revision)).build();
    } else if (kind < 30 || depth == MAX_DEPTH) {
      return op.setRequestDeleteRange(deletesAll ? delete() : partialDelete()).build();
    }
    return op.setRequestTxn(txn(revision, depth + 1)).build();
  }

  private Compare compare(long revision) {
    ByteString key = written.isEmpty() || oneIn(3) ? key() : any(written);
    Compare.Builder compare =
        Compare.newBuilder()
            .setKey(key)
            .setRangeEnd(oneIn(4) ? end(key) : ByteString.EMPTY)
            .setResultValue(random.nextInt(CompareResult.NOT_EQUAL.getNumber() + 1))
            .setTargetValue(random.nextInt(CompareTarget.VALUE.getNumber() + 1));
    // Now and then what the target is not compared with.
    switch (oneIn(10) ? random.nextInt(4) : compare.getTargetValue()) {
      case CompareTarget.VERSION_VALUE -> compare.setVersion(random.nextLong(4));
      case CompareTarget.CREATE_VALUE -> compare.setCreateRevision(oneIn(2) ? 0 : near(revision));
      case CompareTarget.MOD_VALUE -> compare.setModRevision(oneIn(2) ? 0 : near(revision));
      default -> compare.setValue(value());
    }
    return compare.build();
  }

  /** About as many operations as etcd takes, in one level or two. */
  private TxnRequest wideTxn() {
    int inner = random.nextInt(0, RequestCheck.MAX_OPS);
    int outer = RequestCheck.MAX_OPS - inner + random.nextInt(-1, 3);
    TxnRequest.Builder nested = TxnRequest.newBuilder();
    IntStream.range(0, inner).forEach(i -> nested.addSuccess(numbered("in", i)));
    TxnRequest.Builder txn = TxnRequest.newBuilder();
    IntStream.range(1, outer).forEach(i -> txn.addSuccess(numbered("out", i)));
    return txn.addSuccess(RequestOp.newBuilder().setRequestTxn(nested)).build();
  }

  /** Reads, mostly, so that the keys stay few. */
  private static RequestOp numbered(String name, int i) {
    RequestOp.Builder op = RequestOp.newBuilder();
    return i == 0
        ? op.setRequestPut(PutRequest.newBuilder().setKey(latin("c"))).build()
        : op.setRequestRange(RangeRequest.newBuilder().setKey(latin(name + i))).build();
  }

  private LeaseGrantRequest grant() {
    // Long enough to outlive the trace.
    long ttl = oneIn(12) ? 9_000_000_000L + random.nextLong(2) : random.nextLong(60, 600);
    LeaseGrantRequest.Builder grant = LeaseGrantRequest.newBuilder().setTTL(ttl);
    return oneIn(2) ? grant.build() : grant.setID(lease()).build();
  }
}
