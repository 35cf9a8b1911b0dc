package dev.plinth.shards.store.etcd;

import static dev.plinth.shards.store.etcd.Stores.await;
import static dev.plinth.shards.store.etcd.Stores.put;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.OwnedShard.CommitResult;
import dev.plinth.testkit.engine.EngineNode;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Three members, of which one fails at a time. */
@Tag("engine")
class EtcdClusterShardsTest {
  @RegisterExtension static final SharedEngine CLUSTER = Engines.etcdCluster();
  @RegisterExtension final Stores stores = new Stores(CLUSTER);

  @Test
  void killOfEachMemberInTurn_letsCommitsGoOn() {
    OwnedShard shard = stores.open("first", 20).claim(0).orElseThrow();
    for (EngineNode member : CLUSTER.nodes()) { // one of them is the leader, one the member in use
      goOn(shard, member::kill);
      member.restart();
    }
    assertEquals(60, shard.load().size());
  }

  @Test
  void pauseOfEachMemberInTurn_letsCommitsGoOn() {
    OwnedShard shard = stores.open("first", 20).claim(0).orElseThrow();
    for (EngineNode member : CLUSTER.nodes()) {
      goOn(shard, member::pause);
      member.resume();
    }
    assertEquals(60, shard.load().size());
  }

  private static void goOn(OwnedShard shard, Runnable failure) {
    List<CompletableFuture<CommitResult>> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      if (i == 10) {
        failure.run();
      }
      all.add(shard.commit(List.of(put("k" + shard.revision(), "v"))));
    }
    all.forEach(commit -> assertEquals(CommitResult.DONE, await(commit)));
  }
}
