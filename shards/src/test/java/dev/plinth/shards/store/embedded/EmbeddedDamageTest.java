package dev.plinth.shards.store.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.machine.Machine;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.OwnedShard.CommitResult;
import dev.plinth.shards.store.Write;
import dev.plinth.testkit.Await;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;

/** A store that has lost acknowledged commits is not opened, and says which file and what to do. */
class EmbeddedDamageTest {
  private static final int SHARDS = 2;
  private static final int COMMITS = 300;

  @TempDir Path directory;

  @BeforeEach
  void commitMany() {
    commit(COMMITS);
  }

  private void commit(int count) {
    try (EmbeddedShardStore store = EmbeddedShardStore.open(directory, SHARDS)) {
      OwnedShard shard = store.claim(1).orElseThrow();
      for (int i = 0; i < count; i++) {
        Write row = Write.put("k" + i, new byte[200]);
        assertEquals(CommitResult.DONE, shard.commit(List.of(row)).join());
      }
    }
  }

  @Test
  void bytesOverwrittenInTheLog_refuseTheStart() throws IOException {
    overwrite(log(), 64);
    assertRefused(log());
  }

  @Test
  void logCutToTwoThirds_refusesTheStart_everyTime() throws IOException {
    Path log = log();
    cut(log, Files.size(log) * 2 / 3);
    assertRefused(directory);
    assertRefused(directory);
  }

  @Test
  void everyCutThatLosesAnAcknowledgedCommit_refusesTheStart() throws IOException {
    Path log = log();
    long whole = Files.size(log);
    for (long length = whole - 1; length > whole - 600; length -= 53) {
      cut(log, length);
      assertRefused(directory);
    }
  }

  @Test
  void missingLog_refusesTheStart() throws IOException {
    Files.delete(log());
    assertRefused(directory);
  }

  /** RocksDB goes on with the next log. */
  @Test
  void missingLogBetweenOthers_refusesTheStart() throws IOException {
    Files.delete(manyLogs().get(1));
    assertRefused(directory);
    assertRefused(directory);
  }

  /** RocksDB forgives the incomplete end of any log, not only of the last one. */
  @Test
  void cutLogBeforeAnother_refusesTheStart() throws IOException {
    Path log = manyLogs().get(0);
    cut(log, Files.size(log) * 2 / 3);
    assertRefused(directory);
  }

  /** RocksDB skips the rest of a block of 32 KiB behind a header of zeroes. */
  @Test
  void zeroesInTheLog_refuseTheStart() throws IOException {
    zero(log(), 1000, 1300);
    assertRefused(log());
  }

  /** RocksDB takes a manifest for whole wherever it ends. */
  @Test
  void cutManifest_refusesTheStart() throws IOException {
    Path manifest;
    long size;
    try (EmbeddedShardStore store = openSmall()) {
      OwnedShard shard = store.claim(1).orElseThrow();
      manifest = newest("MANIFEST");
      size = Files.size(manifest);
      for (int i = 0; Files.size(manifest) == size; i++) {
        shard.commit(List.of(Write.put("k" + i, new byte[2000]))).join();
      }
      Await.until("flushed", () -> Database.logs(directory).size() == 1);
      shard.commit(List.of(Write.put("last", new byte[1]))).join();
    }
    cut(manifest, size);
    assertRefused(directory);
  }

  @Test
  void missingManifest_refusesTheStart() throws IOException {
    Path manifest = newest("MANIFEST");
    Files.delete(manifest);
    assertRefused(manifest);
  }

  /** A claim commits nothing, but its epoch must not come twice. */
  @Test
  void lostClaim_refusesTheStart() throws IOException {
    commit(0);
    Path log = log();
    cut(log, Files.size(log) - 1);
    assertRefused(directory);
  }

  @Test
  void nextGeneration_endsBeforeAMissingLog() throws IOException {
    Files.delete(manyLogs().get(1));
    try (EmbeddedShardStore store = EmbeddedShardStore.open(directory, SHARDS, 1)) {
      OwnedShard shard = store.claim(0).orElseThrow();
      assertEquals(shard.revision(), shard.load().size(), "nothing from behind the gap");
    }
  }

  @Test
  void missingCurrentFile_refusesTheStart_andDeletesNothing() throws IOException {
    Path log = log();
    Files.delete(directory.resolve("CURRENT"));
    assertRefused(directory);
    assertTrue(Files.exists(log), "the log is still there");
  }

  @Test
  void damagedTable_refusesTheStart_andNamesIt() throws IOException {
    commit(1); // opening has turned the log into a table
    Path table = newest(".sst");
    overwrite(table, 64);
    assertRefused(table);
  }

  @Test
  void unreadableMarks_refuseTheStart_andNameTheFile() throws IOException {
    overwrite(directory.resolve(LastCommitFile.FILE), 8);
    assertRefused(directory.resolve(LastCommitFile.FILE));
  }

  @Test
  void nextGeneration_goesOnWithWhatIsLeft_andTheLossAfterItIsNoticedAgain() throws IOException {
    overwrite(log(), 64);
    long left;
    try (EmbeddedShardStore store = EmbeddedShardStore.open(directory, SHARDS, 1)) {
      OwnedShard shard = store.claim(1).orElseThrow();
      left = shard.revision();
      assertTrue(left > 0 && left < COMMITS, left + " commits are left");
      assertEquals(left, shard.load().size());
      for (int i = 0; i < 10; i++) {
        shard.commit(List.of(Write.put("n" + i, new byte[200]))).join();
      }
    }
    Path log = log();
    cut(log, Files.size(log) / 2);
    assertThrows(StoreUnavailable.class, () -> EmbeddedShardStore.open(directory, SHARDS, 1));
  }

  /** Leaves at least three logs of which none is in a table yet. */
  private List<Path> manyLogs() throws IOException {
    try (EmbeddedShardStore store = openSmall()) {
      OwnedShard shard = store.claim(0).orElseThrow();
      for (int i = 0; Database.logs(directory).size() < 3; i++) {
        shard.commit(List.of(Write.put("k" + i, new byte[2000]))).join();
      }
      shard.commit(List.of(Write.put("last", new byte[1]))).join();
    }
    return Database.logs(directory);
  }

  private EmbeddedShardStore openSmall() {
    return EmbeddedShardStore.open(
        directory,
        SHARDS,
        0,
        Machine.system(),
        () ->
            new Options()
                .setWriteBufferSize(64 << 10)
                .setMaxWriteBufferNumber(6)
                .setMinWriteBufferNumberToMerge(4));
  }

  private void assertRefused(Path named) {
    StoreUnavailable refused =
        assertThrows(
            StoreUnavailable.class, () -> EmbeddedShardStore.open(directory, SHARDS).close());
    assertTrue(refused.getMessage().contains(named.toString()), refused.getMessage());
    assertTrue(
        refused.getMessage().contains("--shards.generation")
            || refused.getMessage().contains("delete it"),
        refused.getMessage());
  }

  private Path log() throws IOException {
    return newest(".log");
  }

  private Path newest(String kind) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.getFileName().toString().contains(kind))
          .filter(file -> file.toFile().length() > 0)
          .sorted()
          .reduce((first, second) -> second)
          .orElseThrow();
    }
  }

  private static void overwrite(Path file, int bytes) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      open.seek(open.length() / 2);
      open.write(new String(new char[bytes]).replace('\0', '#').getBytes());
    }
  }

  private static void zero(Path file, int from, int to) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      open.seek(from);
      open.write(new byte[to - from]);
    }
  }

  private static void cut(Path file, long length) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      open.setLength(length);
    }
  }
}
