package dev.plinth.shards.store.etcd;

import static dev.plinth.shards.store.etcd.Stores.await;
import static dev.plinth.shards.store.etcd.Stores.put;
import static dev.plinth.shards.store.etcd.Stores.rows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.OwnedShard.CommitResult;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** etcd away for a while, shorter and longer than a session lives. */
@Tag("engine")
class EtcdOutageTest {
  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();
  @RegisterExtension final Stores stores = new Stores(ETCD);

  @Test
  void pausedPastTheSession_nothingIsToldThatIsNotThere_andItWorksAgainAfterwards() {
    EtcdShardStore store = stores.open("first", 2);
    EtcdShard shard = (EtcdShard) store.claim(0).orElseThrow();
    assertEquals(CommitResult.DONE, await(shard.commit(List.of(put("before", "v")))));
    ETCD.pause();
    List<CompletableFuture<CommitResult>> during = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      during.add(shard.commit(List.of(put("k" + i, "v"))));
    }
    Await.until("authority passes", () -> store.authorityUntil() - System.nanoTime() <= 0);
    Await.until("trouble is told", () -> store.unavailableReason().isPresent());
    assertThrows(StoreUnavailable.class, () -> store.claim(1));
    Set<String> done = new TreeSet<>(Set.of("before"));
    for (int i = 0; i < during.size(); i++) {
      if (Stores.isDone(during.get(i))) {
        done.add("k" + i);
      }
    }
    Await.until("the session is given up", shard::isLost);
    ETCD.resume();
    Await.until("all is well", () -> store.unavailableReason().isEmpty());
    shard.release();
    OwnedShard again = Stores.claim(store, 0);
    assertTrue(again.epoch() > shard.epoch());
    assertTrue(rows(again).keySet().containsAll(done));
    assertEquals(again.revision(), rows(again).size(), "the first so many commits");
    assertEquals(CommitResult.DONE, await(again.commit(List.of(put("after", "v")))));
    assertTrue(store.authorityUntil() - System.nanoTime() > 0);
  }

  @Test
  void killedAndRestartedWithinTheSession_commitsGoOnByThemselves() {
    EtcdShardStore store = stores.open("first", 20);
    OwnedShard shard = store.claim(0).orElseThrow();
    List<CompletableFuture<CommitResult>> all = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      if (i == 10) {
        ETCD.kill();
      }
      if (i == 20) {
        Await.until("an answer is missed", () -> stores.retries("doubtful") > 0);
        assertFalse(all.get(15).isDone());
        ETCD.restart();
      }
      all.add(shard.commit(List.of(put("k" + i, "v"))));
    }
    all.forEach(commit -> assertEquals(CommitResult.DONE, await(commit)));
    assertEquals(30, shard.revision());
    for (int i = 0; i < 30; i++) {
      assertEquals(1, stores.version("k" + i), "times that k" + i + " was written");
    }
    assertEquals(shard.epoch(), store.layout().owners().get(0).epoch());
  }

  @Test
  void open_withoutEtcd_isRefused_andSaysWhere() {
    ETCD.kill();
    StoreUnavailable refused = assertThrows(StoreUnavailable.class, () -> stores.open("first", 2));
    assertTrue(refused.getMessage().contains(ETCD.hostPorts()), refused.getMessage());
  }

  @Test
  void close_withoutEtcd_ends() {
    EtcdShardStore store = stores.open("first", 2);
    OwnedShard shard = store.claim(0).orElseThrow();
    ETCD.kill();
    CompletableFuture<CommitResult> pending = shard.commit(List.of(put("k", "v")));
    store.close();
    assertTrue(pending.isCompletedExceptionally());
    assertEquals(CommitResult.DEPOSED, await(shard.commit(List.of())));
  }
}
