package dev.plinth.shards.store.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.api.ResponseOp;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;
import io.grpc.Status;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class CommitBundlerTest {
  private static final Op PUT = Op.put(EtcdKeys.bytes("k"), EtcdKeys.bytes("v"), PutOption.DEFAULT);

  /** Requests on their way; each answers with as many answers as it has parts. */
  private final List<Request> requests = new ArrayList<>();

  private final CommitBundler commitBundler = bundles(1);

  private CommitBundler bundles(int maxUnderWay) {
    return new CommitBundler(
        this::send,
        EtcdKeys.bytes("mark"),
        maxUnderWay,
        new StoreMetrics(new SimpleMeterRegistry()));
  }

  private record Request(List<Op> ops, CompletableFuture<TxnResponse> future) {
    boolean isBundle() {
      return ops.stream().anyMatch(Op.TxnOp.class::isInstance);
    }

    /** The parts' answers tell their places: the n-th has the revision n. */
    void answer() {
      io.etcd.jetcd.api.TxnResponse.Builder done = answerNumber(0);
      long parts = ops.stream().filter(Op.TxnOp.class::isInstance).count();
      for (int i = 0; i < parts; i++) {
        done.addResponses(ResponseOp.newBuilder().setResponseTxn(answerNumber(i)));
      }
      future.complete(new TxnResponse(done.build(), ByteSequence.EMPTY));
    }

    private static io.etcd.jetcd.api.TxnResponse.Builder answerNumber(int number) {
      io.etcd.jetcd.api.TxnResponse.Builder answer = io.etcd.jetcd.api.TxnResponse.newBuilder();
      answer.getHeaderBuilder().setRevision(number);
      return answer;
    }

    void fail(Status status) {
      future.completeExceptionally(status.asRuntimeException());
    }
  }

  private CompletableFuture<TxnResponse> send(List<Cmp> when, List<Op> then, List<Op> otherwise) {
    Request request = new Request(then, new CompletableFuture<>());
    requests.add(request);
    return request.future;
  }

  @Test
  void loneCommit_leavesAtOnce_asItIs() {
    CompletableFuture<TxnResponse> lone = add(0, 2, 0);
    assertEquals(1, requests.size());
    assertEquals(List.of(PUT, PUT), requests.get(0).ops());
    requests.get(0).answer();
    assertTrue(lone.isDone());
  }

  @Test
  void secondRequest_leavesBesideTheFirst_onlyWhenWhatWaitsFillsOne() {
    CommitBundler two = bundles(2);
    two.add(part(0, 1, 0));
    for (int shard = 1; shard <= 4; shard++) {
      two.add(part(shard, 100, 0));
    }
    assertEquals(1, requests.size(), "there is room for more in the next one");
    two.add(part(5, 120, 0));
    assertEquals(2, requests.size());
    assertTrue(requests.get(1).isBundle());
    two.add(part(6, 1, 2 << 20));
    assertEquals(2, requests.size(), "no more than two, however much waits");
    requests.get(0).answer();
    assertEquals(3, requests.size());
  }

  @Test
  void whatCameMeanwhile_leavesAsOneRequest_andEachHasItsOwnAnswer() {
    List<CompletableFuture<TxnResponse>> later = busyThenEachOf(5, 6, 7);
    assertEquals(1, requests.size());
    requests.get(0).answer();
    assertEquals(2, requests.size());
    assertTrue(requests.get(1).isBundle());
    assertEquals(1 + 3, requests.get(1).ops().size(), "the mark and the three");
    requests.get(1).answer();
    for (int i = 0; i < 3; i++) {
      assertEquals(i, later.get(i).join().getHeader().getRevision());
    }
  }

  @Test
  void ofOneShard_onlyTheNextCommitIsInABundle_sinceGuardsDoNotSeeTheWritesBesideThem() {
    List<CompletableFuture<TxnResponse>> later = busyThenEachOf(5, 5, 6, 5);
    requests.get(0).answer();
    requests.get(1).answer();
    assertEquals(List.of(true, false, true, false), done(later));
    requests.get(2).answer();
    assertEquals(List.of(true, true, true, false), done(later));
  }

  @Test
  void bundle_hasNoMoreOpsThanEtcdTakes() {
    busy();
    List<CompletableFuture<TxnResponse>> later = new ArrayList<>();
    later.add(add(5, 125, 0)); // 125, the mark and two parts
    later.add(add(6, 125, 0));
    later.add(add(7, 1, 0)); // one part more is one too many for the large ones
    requests.get(0).answer();
    requests.get(1).answer();
    assertEquals(List.of(true, true, false), done(later));
  }

  @Test
  void wholeCommitOfEtcd_leavesAlone() {
    busy();
    List<CompletableFuture<TxnResponse>> later = new ArrayList<>();
    later.add(add(5, 128, 0));
    later.add(add(6, 1, 0));
    requests.get(0).answer();
    assertFalse(requests.get(1).isBundle());
    assertEquals(128, requests.get(1).ops().size());
  }

  @Test
  void bundle_isNoHeavierThanEtcdTakes_andWhatIsTooHeavyIsNotOvertakenByItsOwnShard() {
    busy();
    List<CompletableFuture<TxnResponse>> later = new ArrayList<>();
    later.add(add(5, 1, 600_000));
    later.add(add(6, 1, 600_000));
    later.add(add(6, 1, 10));
    later.add(add(7, 1, 10));
    requests.get(0).answer();
    requests.get(1).answer();
    assertEquals(List.of(true, false, false, true), done(later));
    requests.get(2).answer();
    assertEquals(List.of(true, true, false, true), done(later));
  }

  @Test
  void failure_isToldToAllOfThem_andTheNextLeave() {
    List<CompletableFuture<TxnResponse>> later = busyThenEachOf(5, 6, 5);
    requests.get(0).answer();
    requests.get(1).fail(Status.UNAVAILABLE);
    assertEquals(List.of(true, true, false), done(later));
    assertTrue(later.get(0).isCompletedExceptionally());
    assertTrue(later.get(1).isCompletedExceptionally());
    requests.get(2).answer();
    assertFalse(later.get(2).isCompletedExceptionally());
  }

  @Test
  void refusedBundle_hadNoEffect_soEachGoesAloneAndHasItsOwnAnswer() {
    List<CompletableFuture<TxnResponse>> later = busyThenEachOf(5, 6, 7);
    requests.get(0).answer();
    requests.get(1).fail(Status.INVALID_ARGUMENT);
    for (int i = 2; i < 5; i++) {
      assertFalse(requests.get(i).isBundle());
      if (i == 3) {
        requests.get(i).fail(Status.INVALID_ARGUMENT);
      } else {
        requests.get(i).answer();
      }
    }
    assertFalse(later.get(0).isCompletedExceptionally());
    assertTrue(later.get(1).isCompletedExceptionally());
    assertFalse(later.get(2).isCompletedExceptionally());
    assertEquals(5, requests.size());
  }

  /** A request is on its way, of another shard. */
  private void busy() {
    add(0, 1, 0);
  }

  private List<CompletableFuture<TxnResponse>> busyThenEachOf(int... shards) {
    busy();
    List<CompletableFuture<TxnResponse>> later = new ArrayList<>();
    for (int shard : shards) {
      later.add(add(shard, 1, 0));
    }
    return later;
  }

  private CompletableFuture<TxnResponse> add(int shard, int ops, int bytes) {
    return commitBundler.add(part(shard, ops, bytes));
  }

  private static CommitBundler.Part part(int shard, int ops, int bytes) {
    return new CommitBundler.Part(
        shard, List.of(), Collections.nCopies(ops, PUT), List.of(), bytes);
  }

  private static List<Boolean> done(List<CompletableFuture<TxnResponse>> answers) {
    return answers.stream().map(CompletableFuture::isDone).toList();
  }
}
