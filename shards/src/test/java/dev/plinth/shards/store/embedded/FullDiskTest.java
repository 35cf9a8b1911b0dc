package dev.plinth.shards.store.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.OwnedShard.CommitResult;
import dev.plinth.shards.store.Write;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.SmallDisk;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that fills up under the store, and has room again. */
class FullDiskTest {
  @TempDir Path parent;

  @Test
  void fullDisk_isReadOnly_losesNothing_andPassesWhenThereIsRoom() throws Exception {
    try (SmallDisk disk = SmallDisk.mount(parent.resolve("disk"), 64);
        EmbeddedShardStore store = EmbeddedShardStore.open(disk.path().resolve("store"), 2)) {
      OwnedShard shard = store.claim(0).orElseThrow();
      OwnedShard idle = store.claim(1).orElseThrow();
      assertEquals(CommitResult.DONE, idle.commit(List.of(Write.put("a", new byte[1]))).join());
      disk.fill();
      int done = 0;
      while (isDone(shard, done)) {
        done++;
      }
      Await.until("read-only", () -> store.readOnly().isPresent());
      assertEquals(
          ErrorReason.ERROR_REASON_STORE_READ_ONLY, store.readOnly().orElseThrow().reason());
      assertTrue(
          store.unavailableReason().orElseThrow().contains("full"),
          store.unavailableReason().toString());
      CompletionException later =
          assertThrows(CompletionException.class, () -> shard.commit(List.of()).join());
      assertFalse(((StoreUnavailable) later.getCause()).mayHaveApplied());
      OwnedShard same = shard.reclaim().orElseThrow();
      assertEquals(shard.epoch(), same.epoch());
      int applied = same.load().size();
      assertTrue(applied == done || applied == done + 1, applied + " of " + done);
      assertEquals(applied, same.revision());
      assertEquals(1, idle.load().size(), "who wrote nothing is not disturbed");

      disk.makeRoom();
      Await.until("writes are taken", () -> store.readOnly().isEmpty());
      assertEquals(applied, same.load().size());
      assertEquals(CommitResult.DONE, same.commit(List.of(Write.put("after", new byte[1]))).join());
      assertEquals(applied + 1, same.revision());
      assertEquals(CommitResult.DONE, idle.commit(List.of(Write.put("b", new byte[1]))).join());
      assertEquals(2, idle.load().size());
    }
  }

  private static boolean isDone(OwnedShard shard, int number) {
    try {
      shard.commit(List.of(Write.put("k" + number, new byte[64 << 10]))).join();
      return true;
    } catch (CompletionException e) {
      return false;
    }
  }
}
