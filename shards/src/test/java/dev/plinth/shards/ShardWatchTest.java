package dev.plinth.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Watches over moves, and of callers that are gone. */
class ShardWatchTest {
  private final HeldShard here = new HeldShard();

  @Test
  void orderlyMove_tellsTheLastRevision_andTheNextOwnerGoesOnFromThere() {
    RecordedWatcher watcher = here.watch();
    here.run(TextApp.put("a", "1"));
    here.commit();
    here.run((state, tx, reply) -> tx.put("text/silent", new byte[0]));
    here.commit();
    here.shard.stop();
    here.shard.leave();
    assertEquals(
        List.of("snapshot@0 {}", "events@1 [a=1]", "progress@2", "end ERROR_REASON_SHARD_MOVED"),
        watcher.told);
    HeldShard next = here.next();
    RecordedWatcher resumed = next.resume(2);
    next.run(TextApp.put("b", "2"));
    next.commit();
    assertEquals(List.of("events@3 [b=2]"), resumed.told, "no gap and no snapshot");
  }

  @Test
  void moveThatIsNotQuiet_orWithoutAuthority_tellsNoRevision() {
    RecordedWatcher watcher = here.watch();
    here.run(TextApp.put("a", "1"));
    here.shard.flush();
    here.shard.stop();
    here.shard.leave();
    assertEquals(List.of("snapshot@0 {}", "end ERROR_REASON_SHARD_MOVED"), watcher.told);
    HeldShard next = here.next();
    RecordedWatcher other = next.watch();
    next.store.authorityUntil = next.clock.nanos().getAsLong();
    next.shard.stop();
    next.shard.leave();
    assertEquals("end ERROR_REASON_SHARD_MOVED", other.told.get(other.told.size() - 1));
    assertEquals(2, other.told.size());
  }

  @Test
  void watchWhoseSnapshotIsNotDurableYet_isToldWhenTheShardIsDropped() {
    here.run(TextApp.put("a", "1"));
    here.shard.flush();
    RecordedWatcher watcher = here.watch();
    RecordedWatcher gone = here.watch();
    here.shard.hub().leave(gone);
    assertEquals(List.of(), watcher.told, "its snapshot waits for the commit");
    here.store.depose();
    assertEquals(List.of("end ERROR_REASON_SHARD_MOVED"), watcher.told);
    assertEquals(List.of(), gone.told);
  }

  @Test
  void watchOfACallerThatIsGone_isNotBegun() {
    RecordedWatcher gone = new RecordedWatcher();
    gone.gone = true;
    here.shard.watch(
        HeldShard.TEXTS, OptionalLong.empty(), (state, nanos) -> new TreeMap<>(state), gone);
    here.shard.watch(
        HeldShard.TEXTS, OptionalLong.of(0), (state, nanos) -> new TreeMap<>(state), gone);
    assertEquals(List.of(), gone.told);
    assertEquals(0, here.shard.hub().watchers());
  }
}
