package dev.plinth.simulation.etcd;

import static dev.plinth.simulation.etcd.EtcdRequests.bytes;
import static dev.plinth.simulation.etcd.EtcdRequests.delete;
import static dev.plinth.simulation.etcd.EtcdRequests.get;
import static dev.plinth.simulation.etcd.EtcdRequests.grant;
import static dev.plinth.simulation.etcd.EtcdRequests.isAbsent;
import static dev.plinth.simulation.etcd.EtcdRequests.op;
import static dev.plinth.simulation.etcd.EtcdRequests.put;
import static dev.plinth.simulation.etcd.EtcdRequests.txn;
import static dev.plinth.simulation.etcd.EtcdRequests.when;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.testkit.ManualClock;
import io.etcd.jetcd.api.CompactionRequest;
import io.etcd.jetcd.api.DefragmentRequest;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Rules of the model, each by itself; EtcdDifferentialTest says that they are etcd's. */
class EtcdModelTest {
  private final ManualClock clock = new ManualClock();
  private EtcdModel model = model(EtcdModelSettings.DEFAULT, 1);

  private EtcdModel model(EtcdModelSettings settings, long seed) {
    return new EtcdModel(settings, clock.nanos(), new SplittableRandom(seed));
  }

  private static EtcdModelSettings overQuota(double applied) {
    EtcdModelSettings usual = EtcdModelSettings.DEFAULT;
    return new EtcdModelSettings(
        10_000,
        usual.expiryDelay(),
        usual.slowExpiryDelay(),
        usual.slowExpiry(),
        usual.dyingRenewal(),
        applied,
        usual.staleRevisions());
  }

  private String value(String key) {
    return model.range(get(key)).getKvsList().stream()
        .map(row -> row.getValue().toStringUtf8())
        .findFirst()
        .orElse("absent");
  }

  @Test
  void rows_countTheirVersions_andBeginAnewAfterADeletion() {
    model.put(put("k", "1"));
    model.put(put("k", "2"));
    KeyValue second = model.range(get("k")).getKvs(0);
    assertEquals(
        List.of(2L, 3L, 2L),
        List.of(second.getCreateRevision(), second.getModRevision(), second.getVersion()));
    model.deleteRange(delete("k"));
    model.put(put("k", "3"));
    KeyValue anew = model.range(get("k")).getKvs(0);
    assertEquals(List.of(5L, 1L), List.of(anew.getCreateRevision(), anew.getVersion()));
  }

  @Test
  void nestedTxns_compareBeforeAnyOfThemWrites() {
    TxnRequest both =
        txn(
            op(when(isAbsent("k"), op(put("k", "first")))),
            op(when(isAbsent("k"), op(put("other", "second")))));
    TxnResponse done = model.txn(both);
    assertTrue(done.getResponses(0).getResponseTxn().getSucceeded());
    assertTrue(done.getResponses(1).getResponseTxn().getSucceeded());
    assertEquals(2, done.getHeader().getRevision());
    assertEquals("second", value("other"));
  }

  @Test
  void refusedTxn_changesNothing() {
    StatusRuntimeException refused =
        assertThrows(
            StatusRuntimeException.class,
            () -> model.txn(txn(op(put("a", "1")), op(txn(op(put("b", "2", 77)))))));
    assertEquals(Status.Code.NOT_FOUND, refused.getStatus().getCode());
    assertEquals(1, model.revision());
    assertEquals("absent", value("a"));
  }

  @Test
  void crossingTheQuota_isRefused_butMayBeApplied() {
    for (double share : new double[] {0, 1}) {
      model = model(overQuota(share), 1);
      model.put(put("before", "x".repeat(5_000)));
      assertNoSpace(() -> model.put(put("k", "x".repeat(5_000))));
      assertTrue(model.hasNoSpace());
      assertEquals(share, model.range(get("k")).getCount());
      assertNoSpace(() -> model.put(put("k2", "x")));
      assertEquals("absent", value("k2"));
    }
  }

  @Test
  void withoutSpace_nestedRowsAreWritten_unlessAPlainPutIsBesideThem() {
    model.leaseGrant(grant(7, 10));
    model.put(put("k", "v", 7));
    model.setNoSpace(true);
    assertNoSpace(() -> model.txn(txn(op(put("mark", "")), op(txn(op(put("n", "1")))))));
    assertEquals("absent", value("n"));
    model.txn(txn(op(txn(op(put("n", "1"))))));
    assertEquals("1", value("n"));
    assertNoSpace(() -> model.leaseGrant(grant(8, 10)));
    assertEquals(10, model.leaseKeepAlive(EtcdRequests.keepAlive(7)).getTTL());
    assertEquals(1, model.deleteRange(delete("n")).getDeleted());
    model.setNoSpace(false);
    model.put(put("k", "again"));
  }

  private static void assertNoSpace(Runnable request) {
    StatusRuntimeException refused = assertThrows(StatusRuntimeException.class, request::run);
    assertEquals(
        "RESOURCE_EXHAUSTED: etcdserver: mvcc: database space exceeded", refused.getMessage());
  }

  @Test
  void compaction_forgetsTheData_defragmentationTheFile() {
    for (int i = 0; i < 10; i++) {
      model.put(put("k", "x".repeat(1_000)));
    }
    long full = status();
    model.compact(CompactionRequest.newBuilder().setRevision(11).build());
    assertEquals(full, status());
    assertTrue(model.status(StatusRequest.getDefaultInstance()).getDbSizeInUse() < full / 5);
    model.defragment(DefragmentRequest.getDefaultInstance());
    assertTrue(status() < full / 5);
    RangeRequest old = get("k").toBuilder().setRevision(10).build();
    assertThrows(StatusRuntimeException.class, () -> model.range(old));
  }

  private long status() {
    return model.status(StatusRequest.getDefaultInstance()).getDbSize();
  }

  @Test
  void restore_takesRevisionsBack() {
    model.put(put("k", "old"));
    EtcdSnapshot backup = model.snapshot();
    model.put(put("k", "new"));
    model.put(put("k2", "new"));
    model.restore(backup);
    assertEquals(2, model.revision());
    assertEquals("old", value("k"));
    model.put(put("k", "other"));
    model.restore(backup);
    assertEquals("old", value("k"), "a backup is not changed by what follows");
  }

  @Test
  void serializableReads_mayBeBehind_butNotBeforeTheCompaction() {
    for (int i = 0; i < 50; i++) {
      model.put(put("k", "v" + i));
    }
    RangeRequest serializable = get("k").toBuilder().setSerializable(true).build();
    List<Long> seen = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      seen.add(model.range(serializable).getHeader().getRevision());
      assertEquals(51, model.range(get("k")).getHeader().getRevision());
    }
    assertTrue(seen.stream().anyMatch(revision -> revision < 51), seen.toString());
    assertTrue(seen.stream().allMatch(revision -> revision >= 31), seen.toString());
    model.compact(CompactionRequest.newBuilder().setRevision(51).build());
    assertEquals(51, model.range(serializable).getHeader().getRevision());
  }

  @Test
  void sameSeed_sameAnswers() {
    assertEquals(answers(5), answers(5));
    assertFalse(answers(5).equals(answers(6)));
  }

  private List<String> answers(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    EtcdModel some = model(EtcdModelSettings.DEFAULT, seed);
    RandomRequests requests = new RandomRequests(random);
    List<String> answers = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      var request = requests.next(some.revision());
      answers.add(EtcdAnswer.of(() -> new ModelUnderTest(some).call(request)).toString());
    }
    return answers;
  }

  @Test
  void keys_areOrderedAsUnsignedBytes() {
    model.put(put("\u00e9", "high"));
    model.put(put("z", "low"));
    RangeRequest all =
        RangeRequest.newBuilder().setKey(bytes("a")).setRangeEnd(bytes("\0")).build();
    assertEquals(
        List.of("low", "high"),
        model.range(all).getKvsList().stream().map(row -> row.getValue().toStringUtf8()).toList());
  }
}
