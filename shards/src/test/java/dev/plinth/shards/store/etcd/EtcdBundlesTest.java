package dev.plinth.shards.store.etcd;

import static dev.plinth.shards.store.etcd.Stores.await;
import static dev.plinth.shards.store.etcd.Stores.put;
import static dev.plinth.shards.store.etcd.Stores.rows;
import static dev.plinth.shards.store.etcd.Stores.unavailable;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.shards.fixture.SmallEtcd;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.OwnedShard.CommitResult;
import dev.plinth.shards.store.Write;
import dev.plinth.testkit.FaultProxy;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.micrometer.core.instrument.DistributionSummary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Commits of several shards in one request: one fate on the way, each its own in etcd. */
@Tag("engine")
class EtcdBundlesTest {
  private static final int COMMITS = 40;

  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();
  @RegisterExtension final Stores stores = new Stores(ETCD);

  private FaultProxy proxy;

  @Test
  void shardsOfANode_shareRequests_andKeepTheirOwnOrder() {
    List<OwnedShard> shards = claimAll(open(stores.proxy()));
    List<CompletableFuture<CommitResult>> all = new ArrayList<>();
    proxy.halfOpen(); // until all are handed in
    for (int i = 1; i <= COMMITS; i++) {
      for (OwnedShard shard : shards) {
        all.add(shard.commit(List.of(put("last", shard.shard() + "/" + i), put("k" + i, "v"))));
      }
    }
    proxy.heal();
    all.forEach(commit -> assertEquals(CommitResult.DONE, await(commit)));
    for (OwnedShard shard : shards) {
      assertEquals(shard.shard() + "/" + COMMITS, rows(shard).get("last"));
      assertEquals(COMMITS + 1, rows(shard).size());
    }
    DistributionSummary bundles = stores.meters().get("plinth.etcd.bundles").summary();
    assertTrue(bundles.count() < all.size(), bundles.count() + " requests");
    assertTrue(bundles.totalAmount() >= all.size(), bundles.totalAmount() + " tries");
  }

  @Test
  void shardThatIsLost_isDeposed_andThoseBesideItAreNot() {
    List<OwnedShard> shards = claimAll(open(stores.proxy()));
    stores.client().getKVClient().delete(stores.etcdKeys.owner(0)).join();
    List<CompletableFuture<CommitResult>> lost = new ArrayList<>();
    List<CompletableFuture<CommitResult>> kept = new ArrayList<>();
    proxy.halfOpen();
    for (int i = 0; i < COMMITS; i++) {
      for (OwnedShard shard : shards) {
        (shard.shard() == 0 ? lost : kept).add(shard.commit(List.of(put("k", "v" + i))));
      }
    }
    proxy.heal();
    lost.forEach(commit -> assertEquals(CommitResult.DEPOSED, await(commit)));
    kept.forEach(commit -> assertEquals(CommitResult.DONE, await(commit)));
    assertTrue(stores.find(stores.row(0, "k")).isEmpty());
    assertTrue(stores.meters().get("plinth.etcd.bundles").summary().max() > 1);
  }

  @Test
  void withoutSpace_aBundleChangesNothing(@TempDir Path directory) throws Exception {
    SmallEtcd small = stores.closing(new SmallEtcd(directory));
    List<OwnedShard> shards = claimAll(open(stores.closing(small.proxy())));
    int page = 0;
    while (Stores.isDone(shards.get(0).commit(page(page)))) {
      page++;
    }
    List<CompletableFuture<CommitResult>> all = new ArrayList<>();
    proxy.halfOpen();
    for (OwnedShard shard : shards.subList(1, shards.size())) {
      for (int i = 0; i < COMMITS; i++) {
        all.add(shard.commit(List.of(put("k", "v"))));
      }
    }
    proxy.heal();
    all.forEach(commit -> assertFalse(unavailable(commit).mayHaveApplied()));
    assertTrue(stores.meters().get("plinth.etcd.bundles").summary().max() > 1);
    for (OwnedShard shard : shards.subList(1, shards.size())) {
      OwnedShard same = shard.reclaim().orElseThrow();
      assertEquals(0, same.revision());
      assertEquals(List.of(), same.load());
    }
  }

  private EtcdShardStore open(FaultProxy through) {
    proxy = through;
    return stores.open(through.address(), "first", stores.settings(20));
  }

  private static List<OwnedShard> claimAll(EtcdShardStore store) {
    return IntStream.range(0, Stores.SHARDS).mapToObj(i -> store.claim(i).orElseThrow()).toList();
  }

  private static List<Write> page(int number) {
    return IntStream.range(0, 100).mapToObj(i -> put("k" + i, number + "x".repeat(2_000))).toList();
  }
}
