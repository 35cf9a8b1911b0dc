package dev.plinth.simulation.etcd;

import static dev.plinth.simulation.etcd.EtcdRequests.delete;
import static dev.plinth.simulation.etcd.EtcdRequests.get;
import static dev.plinth.simulation.etcd.EtcdRequests.grant;
import static dev.plinth.simulation.etcd.EtcdRequests.keepAlive;
import static dev.plinth.simulation.etcd.EtcdRequests.op;
import static dev.plinth.simulation.etcd.EtcdRequests.put;
import static dev.plinth.simulation.etcd.EtcdRequests.txn;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Message;
import dev.plinth.shards.fixture.SmallEtcd;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.RangeResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What the model says etcd may do, seen on the real one. */
@Tag("engine")
class EtcdFreedomTest {
  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();

  @Test
  void leases_areRevokedLate_neverEarly() throws Exception {
    long most = 0;
    try (RealEtcd real = new RealEtcd(ETCD.node(0).hostPort())) {
      List<Long> sent = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        real.call(grant(9_000 + i, 2));
        sent.add(System.nanoTime());
        // Counted from the answer to the last renewal, before which etcd has begun the TTL anew.
        real.call(keepAlive(9_000 + i));
        real.call(put("leased" + i, "v", 9_000 + i));
        Thread.sleep(50);
      }
      for (int i = 0; i < 10; i++) {
        while (exists(real, "leased" + i)) {
          Thread.sleep(10);
        }
        long late = System.nanoTime() - sent.get(i) - Duration.ofSeconds(2).toNanos();
        assertTrue(late >= 0, "lease " + i + " was revoked early by " + -late + " ns");
        most = Math.max(most, late);
      }
    }
    System.out.println("leases of 2 s were revoked at most " + Duration.ofNanos(most) + " late");
    assertTrue(most <= EtcdModelSettings.DEFAULT.slowExpiryDelay().toNanos(), most + " ns late");
  }

  @Test
  void withoutSpace_bothTakeNestedRows_deletesAndRenewals_andNothingElse(@TempDir Path directory)
      throws Exception {
    EtcdModel model =
        new EtcdModel(EtcdModelSettings.DEFAULT, System::nanoTime, new SplittableRandom(1));
    try (SmallEtcd small = new SmallEtcd(directory);
        RealEtcd real = new RealEtcd(small.hostPort())) {
      List<EtcdUnderTest> both = List.of(real, new ModelUnderTest(model));
      both.forEach(etcd -> etcd.call(grant(5, 60)));
      both.forEach(etcd -> etcd.call(put("before", "v", 5)));
      small.fill();
      model.setNoSpace(true);
      List<Message> requests =
          List.of(
              put("k", "v"),
              txn(op(put("k", "v"))),
              txn(op(put("mark", "")), op(txn(op(put("nested", "1"))))),
              txn(op(txn(op(put("nested", "2"))))),
              get("nested"),
              delete("nested"),
              get("nested"),
              grant(6, 60),
              keepAlive(5),
              LeaseRevokeRequest.newBuilder().setID(5).build(),
              get("before"));
      for (Message request : requests) {
        assertEquals(told(real, request), told(both.get(1), request), request.toString());
      }
    }
  }

  /** Without the numbers, which {@link SmallEtcd#fill} has moved on. */
  private static String told(EtcdUnderTest etcd, Message request) {
    EtcdAnswer answer = EtcdAnswer.of(() -> etcd.call(request));
    return answer.toString().replaceAll("\\w+(_revision|_id|_term|evision): \\d+\\n", "");
  }

  /**
   * Writers at once: each write is weighed when it is received, and again when it is applied, after
   * others have taken the space. Whether one is under way at that moment is chance, so there are
   * several rounds.
   */
  @Test
  void writeThatCrossesTheQuota_isRefused_butMayBeApplied(@TempDir Path directory)
      throws Exception {
    try (SmallEtcd small = new SmallEtcd(directory);
        RealEtcd real = new RealEtcd(small.hostPort())) {
      int applied = 0;
      for (int round = 0; round < 20 && applied == 0; round++) {
        List<CompletableFuture<Boolean>> writers = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
          String key = "big" + i;
          writers.add(
              CompletableFuture.supplyAsync(
                  () -> isRefusedAndApplied(real, key), task -> new Thread(task).start()));
        }
        for (CompletableFuture<Boolean> writer : writers) {
          applied += writer.join() ? 1 : 0;
        }
        small.makeRoom();
      }
      assertTrue(applied > 0, "no refused write was applied");
    }
  }

  /** Writes until there is no space, and looks whether the refused write is there. */
  private static boolean isRefusedAndApplied(RealEtcd real, String key) {
    for (int i = 0; ; i++) {
      String value = System.nanoTime() + "/" + i + "x".repeat(64 << 10);
      EtcdAnswer answer = EtcdAnswer.of(() -> real.call(put(key, value)));
      if (answer.isRefused()) {
        assertTrue(answer.refusal().contains("database space exceeded"), answer.refusal());
        RangeResponse found = (RangeResponse) real.call(get(key));
        return found.getKvsList().stream()
            .anyMatch(row -> row.getValue().toStringUtf8().equals(value));
      }
    }
  }

  private static boolean exists(RealEtcd real, String key) {
    return ((RangeResponse) real.call(get(key))).getCount() > 0;
  }
}
