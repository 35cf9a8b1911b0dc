package dev.plinth.shards.store.etcd;

import static dev.plinth.shards.store.etcd.Stores.await;
import static dev.plinth.shards.store.etcd.Stores.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.OwnedShard.CommitResult;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.ManualClock;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A node that slept: to it, its wall clock makes a leap and its monotonic clock none. */
@Tag("engine")
class EtcdClockTest {
  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();
  @RegisterExtension final Stores stores = new Stores(ETCD);
  private final ManualClock wall = new ManualClock();

  @Test
  void nodeThatSlept_hasNoAuthority_untilEtcdAnswers_andKeepsItsShards() {
    EtcdShardStore store = stores.open("first", stores.settings(20), wall);
    OwnedShard shard = store.claim(0).orElseThrow();
    ETCD.pause();
    wall.stepWall(Duration.ofHours(1));
    assertFalse(hasAuthority(store));
    assertFalse(store.isClockTrusted());
    assertTrue(store.unavailableReason().orElseThrow().contains("slept"));
    ETCD.resume();
    Await.until("etcd has answered", () -> hasAuthority(store));
    assertTrue(store.isClockTrusted());
    assertFalse(shard.isLost());
    assertEquals(CommitResult.DONE, await(shard.commit(List.of(put("k", "v")))));
    assertEquals(1, stores.meters().get("plinth.etcd.clock.standstills").counter().count());
  }

  /** Its shards went to others meanwhile; by its own clock its session would go on. */
  @Test
  void nodeThatSleptPastItsSession_losesIt() {
    EtcdShardStore store = stores.open("first", stores.settings(20), wall);
    OwnedShard shard = store.claim(0).orElseThrow();
    stores.revoke(0);
    assertTrue(hasAuthority(store), "nobody has told it");
    wall.stepWall(Duration.ofHours(1));
    assertFalse(hasAuthority(store));
    Await.until("the session is lost", shard::isLost);
  }

  private static boolean hasAuthority(EtcdShardStore store) {
    return store.authorityUntil() - System.nanoTime() > 0;
  }
}
