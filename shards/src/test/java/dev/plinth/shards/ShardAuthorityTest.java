package dev.plinth.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.shards.store.Row;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Who may still speak for a shard. */
class ShardAuthorityTest {
  private static final long LONG = Long.MAX_VALUE / 2;

  private final HeldShard here = new HeldShard();

  @Test
  void withoutAuthority_noWatchBegins_andNoneGoesOn() {
    RecordedWatcher before = here.watch();
    loseAuthority();
    assertEquals(List.of("end ERROR_REASON_NO_AUTHORITY"), here.watch().told);
    assertEquals(List.of("end ERROR_REASON_NO_AUTHORITY"), here.resume(0).told);
    assertEquals(List.of("end ERROR_REASON_NO_AUTHORITY"), here.resume(99).told, "not even a gap");
    here.shard.progress();
    assertEquals(List.of("snapshot@0 {}"), before.told);
    here.store.authorityUntil = LONG;
    here.shard.progress();
    assertEquals(List.of("snapshot@0 {}", "progress@0"), before.told, "it is back in time");
    assertEquals(List.of("snapshot@0 {}"), here.watch().told);
  }

  @Test
  void withoutAuthority_noAppIsAskedToTellOfProgress() {
    AtomicInteger asked = new AtomicInteger();
    ShardApp<Integer> counting =
        new ShardApp<>() {
          @Override
          public String prefix() {
            return "count/";
          }

          @Override
          public Integer open(List<Row> rows, Tx tx) {
            return 7;
          }

          @Override
          public void progress(Integer state, long nanos) {
            asked.addAndGet(state);
          }
        };
    HeldShard other = new HeldShard(here.clock, here.store, Runnable::run, counting);
    other.shard.progress();
    assertEquals(7, asked.get());
    loseAuthority();
    other.shard.progress();
    assertEquals(7, asked.get());
  }

  @Test
  void lostShard_endsItsWatches_andBeginsNone() {
    RecordedWatcher before = here.watch();
    here.store.lost = true;
    here.shard.progress();
    assertEquals(List.of("snapshot@0 {}", "end ERROR_REASON_SHARD_MOVED"), before.told);
    assertTrue(here.shard.isDropped());
    assertEquals(List.of("end ERROR_REASON_SHARD_MOVED"), here.watch().told);
    assertEquals(List.of("end ERROR_REASON_SHARD_MOVED"), here.resume(0).told);
  }

  @Test
  void lostShard_isNoticedByAWatch() {
    here.store.lost = true;
    assertEquals(List.of("end ERROR_REASON_SHARD_MOVED"), here.resume(0).told);
    assertTrue(here.shard.isDropped());
  }

  /** The authority of the node's next session says nothing of a shard claimed under its last. */
  @Test
  void claimLostWhileAuthorityIsLookedAt_decidesNothing() {
    here.store.authorityUntil = here.clock.nanos().getAsLong() + 1;
    here.store.whenAuthorityIsRead =
        () -> {
          here.store.lost = true;
          here.store.authorityUntil = LONG;
        };
    var read = here.run(TextApp.get("a"));
    assertTrue(read.isDone());
    assertEquals(ErrorReason.ERROR_REASON_SHARD_MOVED, HeldShard.failure(read).reason());
  }

  @Test
  void lostWithoutAuthority_isToldAsMoved_andDropped() {
    loseAuthority();
    here.store.lost = true;
    var read = here.run(TextApp.get("a"));
    assertEquals(ErrorReason.ERROR_REASON_SHARD_MOVED, HeldShard.failure(read).reason());
    assertTrue(here.shard.isDropped());
  }

  @Test
  void eventOfADurableCommit_isTold_evenWithoutAuthority() {
    RecordedWatcher watcher = here.watch();
    here.run(TextApp.put("a", "1"));
    here.shard.flush();
    loseAuthority();
    here.store.finishAll();
    assertEquals(List.of("snapshot@0 {}", "events@1 [a=1]"), watcher.told, "it did happen");
    assertFalse(here.shard.isDropped());
  }

  private void loseAuthority() {
    here.store.authorityUntil = here.clock.nanos().getAsLong();
  }
}
