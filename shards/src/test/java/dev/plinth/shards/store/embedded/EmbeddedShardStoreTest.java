package dev.plinth.shards.store.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.ShardStoreContract;
import dev.plinth.shards.store.Write;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedShardStoreTest extends ShardStoreContract {
  @TempDir Path parent;
  private int copies;

  @Override
  protected ShardStore open() {
    return EmbeddedShardStore.open(folder(), SHARDS);
  }

  /**
   * What a killed process leaves is what its files hold, so the next store works on a copy of them.
   */
  @Override
  protected void crash() {
    Path from = folder();
    copies++;
    copy(from, folder());
    store.close();
  }

  @Test
  void open_whileHeld_isRefused() {
    StoreUnavailable refused = assertThrows(StoreUnavailable.class, this::open);
    assertTrue(refused.getMessage().contains("LOCK"), refused.getMessage());
  }

  @Test
  void open_forAnotherNumberOfShards_isRefused_andChangesNothing() {
    commit(claim(0), Write.put("a", bytes("1")));
    store.close();
    StoreUnavailable refused =
        assertThrows(StoreUnavailable.class, () -> EmbeddedShardStore.open(folder(), SHARDS + 1));
    assertTrue(refused.getMessage().contains("4 shards (expected: 5)"), refused.getMessage());
    store = open();
    assertEquals(Map.of("a", "1"), rows(claim(0)));
  }

  /**
   * A crash in the middle of a write leaves a torn end; what was acknowledged before it must stay.
   */
  @Test
  void tornTailOfTheLog_losesOnlyTheUnacknowledgedCommit() throws IOException {
    OwnedShard shard = claim(0);
    commit(shard, Write.put("a", bytes("1")));
    Path log = newestLog();
    long acknowledged = Files.size(log);
    byte[] marks = Files.readAllBytes(folder().resolve(LastCommitFile.FILE));
    commit(shard, Write.put("b", new byte[500]), Write.put("c", new byte[500]));
    long whole = Files.size(log);
    for (long length = acknowledged + 1; length < whole; length += 97) {
      Path torn = parent.resolve("torn" + length);
      copy(folder(), torn);
      try (RandomAccessFile file =
          new RandomAccessFile(torn.resolve(log.getFileName()).toFile(), "rw")) {
        file.setLength(length);
      }
      Files.write(
          torn.resolve(LastCommitFile.FILE), marks); // written after the sync that never returned
      try (ShardStore after = EmbeddedShardStore.open(torn, SHARDS)) {
        OwnedShard next = after.claim(0).orElseThrow();
        assertEquals(Map.of("a", "1"), rows(next), "torn at " + length);
        assertEquals(1, next.revision());
      }
    }
  }

  private Path folder() {
    return parent.resolve("data" + copies);
  }

  private Path newestLog() throws IOException {
    try (Stream<Path> files = Files.list(folder())) {
      return files
          .filter(file -> file.toString().endsWith(".log"))
          .max(Comparator.comparing(Path::getFileName))
          .orElseThrow();
    }
  }

  private static void copy(Path from, Path to) {
    try (Stream<Path> files = Files.list(from)) {
      Files.createDirectories(to);
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
