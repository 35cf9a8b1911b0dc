package dev.plinth.shards.store.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;
import io.grpc.SynchronizationContext;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Takes the commits of many shards to etcd in few requests, since each request is logged and synced
 * by itself there. What came in while the last request was on its way leaves as the next one: a
 * transaction of transactions, each with its own guards and its own answer. A commit that is alone
 * leaves as it is, and at once. More than one request is under way only where one cannot take all
 * that waits: two half-filled ones cost etcd more than one, and their callers no less time.
 */
final class CommitBundler {
  /** A transaction of one shard, and about what it weighs. */
  record Part(int shard, List<Cmp> when, List<Op> then, List<Op> otherwise, int bytes) {
    /** As etcd counts them. */
    private int ops() {
      return Math.max(when.size(), Math.max(then.size(), otherwise.size()));
    }

    private Op nested() {
      return Op.txn(
          when.toArray(Cmp[]::new), then.toArray(Op[]::new), otherwise.toArray(Op[]::new));
    }
  }

  /** A transaction, sent. */
  interface TxnTransport {
    CompletableFuture<TxnResponse> txn(List<Cmp> when, List<Op> then, List<Op> otherwise);
  }

  private record Queued(Part part, boolean alone, CompletableFuture<TxnResponse> answer) {
    private Queued forItself() {
      return new Queued(part, true, answer);
    }
  }

  // What etcd takes: of a transaction inside another, what that leaves it.
  private static final int MAX_OPS = EtcdShardStore.MAX_WRITES + 1;
  // It takes 1.5 MiB. And all that is applied at once keeps others waiting.
  private static final int MAX_BYTES = 1 << 20;
  private static final int MAX_OPS_IN_ALL = 512;

  private final TxnTransport txnTransport;
  private final Op mark;
  private final int maxUnderWay;
  private final StoreMetrics metrics;
  private final SynchronizationContext inOrder = EtcdStoreContext.inOrder();
  private final Deque<Queued> queue = new ArrayDeque<>();
  private int queuedOps;
  private long queuedBytes;
  private int inFlight;

  /**
   * @param mark a key that is written with every bundle. etcd weighs against its quota only what is
   *     not nested, and would write the rest even when it has no space.
   */
  CommitBundler(
      TxnTransport txnTransport, ByteSequence mark, int maxUnderWay, StoreMetrics metrics) {
    this.txnTransport = txnTransport;
    this.mark = Op.put(mark, ByteSequence.EMPTY, PutOption.DEFAULT);
    this.maxUnderWay = maxUnderWay;
    this.metrics = metrics;
  }

  CompletableFuture<TxnResponse> add(Part part) {
    Queued queued = new Queued(part, false, new CompletableFuture<>());
    inOrder.execute(
        () -> {
          queue.add(queued);
          count(queued, 1);
          send();
        });
    return queued.answer;
  }

  private void send() {
    while (!queue.isEmpty() && (inFlight == 0 || inFlight < maxUnderWay && fillsOne())) {
      inFlight++;
      Bundle bundle = next();
      metrics.bundled(bundle.parts.size());
      bundle
          .send()
          .whenComplete((done, failure) -> inOrder.execute(() -> ended(bundle, done, failure)));
    }
  }

  private boolean fillsOne() {
    return queuedOps >= MAX_OPS_IN_ALL || queuedBytes >= MAX_BYTES;
  }

  private void count(Queued queued, int sign) {
    queuedOps += sign * queued.part.ops();
    queuedBytes += (long) sign * queued.part.bytes;
  }

  /**
   * The first in line and whatever fits beside it. Of each shard the next at most: etcd looks at
   * the guards of all before it writes anything, so a second one would not see the first.
   */
  private Bundle next() {
    Queued first = queue.remove();
    Bundle bundle = new Bundle(first);
    Set<Integer> seen = new HashSet<>(Set.of(first.part.shard));
    for (Iterator<Queued> rest = queue.iterator(); rest.hasNext(); ) {
      Queued other = rest.next();
      if (seen.add(other.part.shard) && bundle.takes(other)) {
        rest.remove();
      }
    }
    bundle.parts.forEach(queued -> count(queued, -1));
    return bundle;
  }

  private void ended(Bundle bundle, TxnResponse done, Throwable failure) {
    if (failure == null) {
      bundle.answer(done);
    } else if (bundle.isNested() && EtcdFailure.of(failure) == EtcdFailure.REFUSED) {
      // Surely not applied, and perhaps for what one of them is: each is to have its own answer.
      for (int i = bundle.parts.size() - 1; i >= 0; i--) {
        Queued again = bundle.parts.get(i).forItself();
        queue.addFirst(again);
        count(again, 1);
      }
    } else {
      bundle.parts.forEach(queued -> queued.answer.completeExceptionally(failure));
    }
    // Behind what the answers have brought, so that it leaves together.
    inOrder.execute(
        () -> {
          inFlight--;
          send();
        });
  }

  /** One request. */
  private final class Bundle {
    private final List<Queued> parts = new ArrayList<>();
    private int maxOps;
    private int ops;
    private int bytes;

    Bundle(Queued first) {
      add(first);
    }

    /** Takes another, if it fits. */
    boolean takes(Queued other) {
      int larger = Math.max(maxOps, other.part.ops());
      boolean fits =
          !other.alone
              && !parts.get(0).alone
              && 1 + parts.size() + 1 + larger <= MAX_OPS // the mark, these, this one
              && ops + other.part.ops() <= MAX_OPS_IN_ALL
              && bytes + other.part.bytes <= MAX_BYTES;
      if (fits) {
        add(other);
      }
      return fits;
    }

    private void add(Queued queued) {
      parts.add(queued);
      maxOps = Math.max(maxOps, queued.part.ops());
      ops += queued.part.ops();
      bytes += queued.part.bytes;
    }

    boolean isNested() {
      return parts.size() > 1;
    }

    CompletableFuture<TxnResponse> send() {
      if (!isNested()) {
        Part only = parts.get(0).part;
        return txnTransport.txn(only.when, only.then, only.otherwise);
      }
      List<Op> all = new ArrayList<>(parts.size() + 1);
      all.add(mark);
      parts.forEach(queued -> all.add(queued.part.nested()));
      return txnTransport.txn(List.of(), all, List.of());
    }

    void answer(TxnResponse done) {
      List<TxnResponse> answers = isNested() ? done.getTxnResponses() : List.of(done);
      for (int i = 0; i < parts.size(); i++) {
        parts.get(i).answer.complete(answers.get(i));
      }
    }
  }
}
