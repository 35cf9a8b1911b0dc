package dev.plinth.shards.store.etcd;

import static dev.plinth.shards.store.etcd.Stores.await;
import static dev.plinth.shards.store.etcd.Stores.put;
import static dev.plinth.shards.store.etcd.Stores.rows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.shards.fixture.SmallEtcd;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.OwnedShard.CommitResult;
import dev.plinth.shards.store.Write;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.etcd.jetcd.options.GetOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What history costs in etcd, and what happens when there is no room for more. */
@Tag("engine")
class EtcdSpaceTest {
  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();
  @RegisterExtension final Stores stores = new Stores(ETCD);

  @Test
  void noSpace_refusesCommitsAndClaims_losesNothing_andPassesWhenThereIsRoom(
      @TempDir Path directory) throws Exception {
    SmallEtcd small = stores.closing(new SmallEtcd(directory));
    EtcdShardStore store = stores.open(small.hostPort(), "first", stores.settings(20));
    OwnedShard shard = store.claim(0).orElseThrow();
    List<CompletableFuture<CommitResult>> all = new ArrayList<>();
    do {
      all.add(shard.commit(page(all.size())));
      all.add(shard.commit(page(all.size())));
    } while (Stores.isDone(all.get(all.size() - 1)));
    assertTrue(
        store.unavailableReason().orElseThrow().contains("NOSPACE"),
        store.unavailableReason().toString());
    assertTrue(store.authorityUntil() - System.nanoTime() > 0, "keepalives still work");
    assertFalse(Stores.unavailable(all.get(all.size() - 1)).mayHaveApplied());
    assertFalse(Stores.unavailable(shard.commit(List.of())).mayHaveApplied());
    OwnedShard same = shard.reclaim().orElseThrow();
    assertEquals(shard.epoch(), same.epoch());
    assertEquals(done(all), same.revision());
    assertEquals(100, rows(same).size());
    same.release();
    StoreUnavailable refused = assertThrows(StoreUnavailable.class, () -> store.claim(0));
    assertFalse(refused.mayHaveApplied());

    small.makeRoom();
    OwnedShard again = Stores.claim(store, 0);
    assertTrue(store.unavailableReason().isEmpty());
    assertEquals(done(all), again.revision(), "every commit that was told done, and no other");
    assertEquals(100, rows(again).size());
    assertEquals(CommitResult.DONE, await(again.commit(List.of(put("after", "v")))));
  }

  private static long done(List<CompletableFuture<CommitResult>> commits) {
    return commits.stream().filter(Stores::isDone).count();
  }

  /** The same rows over and over: live data stays small, history does not. */
  private static List<Write> page(int number) {
    return IntStream.range(0, 100).mapToObj(i -> put("k" + i, number + "x".repeat(2_000))).toList();
  }

  @Test
  void compaction_forgetsOldRevisions_andDisturbsNoCommit() {
    EtcdShardStore store =
        stores.open(ETCD.hostPorts(), "first", stores.settings(20, Duration.ofSeconds(1)));
    OwnedShard shard = store.claim(0).orElseThrow();
    assertEquals(CommitResult.DONE, await(shard.commit(List.of(put("k", "first")))));
    long old = stores.find(stores.row(0, "k")).orElseThrow().getModRevision();
    assertEquals("first", valueAt(old));
    Await.until(
        "the old revision is forgotten",
        () -> {
          assertEquals(CommitResult.DONE, await(shard.commit(List.of(put("k", "next")))));
          return isForgotten(old);
        });
    assertEquals("next", rows(shard).get("k"));
    assertTrue(stores.meters().get("plinth.etcd.compactions").counter().count() > 0);
  }

  @Test
  void sizes_areTold() {
    stores.open("first", 20);
    Await.until("a size", () -> gauge("plinth.etcd.db.bytes") > 0);
    assertTrue(gauge("plinth.etcd.db.in_use.bytes") <= gauge("plinth.etcd.db.bytes"));
    assertEquals((2L << 30) - gauge("plinth.etcd.db.bytes"), gauge("plinth.etcd.quota.left.bytes"));
  }

  private double gauge(String name) {
    return stores.meters().get(name).tag("member", ETCD.hostPorts()).gauge().value();
  }

  private String valueAt(long revision) {
    GetOption then = GetOption.builder().withRevision(revision).build();
    return EtcdKeys.only(stores.client().getKVClient().get(stores.row(0, "k"), then).join())
        .map(row -> EtcdKeys.text(row.getValue()))
        .orElseThrow();
  }

  private boolean isForgotten(long revision) throws Exception {
    GetOption then = GetOption.builder().withRevision(revision).build();
    return stores
        .client()
        .getKVClient()
        .get(stores.row(0, "k"), then)
        .handle(
            (found, failure) ->
                failure != null && EtcdFailure.reason(failure).contains("compacted"))
        .get(5, TimeUnit.SECONDS);
  }
}
