package dev.plinth.shards.store.embedded;

import dev.plinth.machine.Machine;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.OwnedShard.CommitResult;
import dev.plinth.shards.store.Write;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.rocksdb.Options;

/**
 * Seeded commits of several shards through the real store, and its folder after each group of them:
 * everything acknowledged up to then is synced. Memtables are small, so that there are flushes,
 * compactions and several logs.
 */
final class RecordedRun {
  static final int SHARDS = 3;

  /** The folder after a group, and what was acknowledged by then. */
  record Moment(FolderImage folder, CommitHistory.Position acknowledged) {}

  private static final int GROUPS = 150;
  private static final int KEYS = 60;
  private static final int MEMTABLE = 64 << 10;

  private final Path folder;
  private final Random random;
  private final boolean manyLogs;
  private final CommitHistory history = new CommitHistory(SHARDS);
  private final List<Moment> moments = new ArrayList<>();

  private RecordedRun(Path folder, long seed) {
    this.folder = folder;
    this.random = new Random(seed);
    this.manyLogs = random.nextBoolean();
  }

  static RecordedRun record(Path folder, long seed) throws IOException {
    RecordedRun run = new RecordedRun(folder, seed);
    run.moments.add(new Moment(new FolderImage(new TreeMap<>()), run.history.position()));
    for (int part = 0; part < 3; part++) {
      run.recordPart();
    }
    return run;
  }

  private void recordPart() throws IOException {
    try (EmbeddedShardStore store = open(folder)) {
      List<OwnedShard> shards = new ArrayList<>();
      for (int i = 0; i < SHARDS; i++) {
        shards.add(store.claim(i).orElseThrow());
        history.claimed(shards.get(i));
        add();
      }
      for (int group = random.nextInt(GROUPS); group >= 0; group--) {
        commitSome(shards);
        add();
      }
    }
    add();
  }

  /** A store like the one that was recorded. */
  EmbeddedShardStore open(Path in) {
    return EmbeddedShardStore.open(in, SHARDS, 0, Machine.system(), this::options);
  }

  private Options options() {
    return new Options()
        .setWriteBufferSize(MEMTABLE)
        .setMaxWriteBufferNumber(manyLogs ? 6 : 2)
        .setMinWriteBufferNumberToMerge(manyLogs ? 3 : 1)
        .setLevel0FileNumCompactionTrigger(2);
  }

  private void commitSome(List<OwnedShard> shards) {
    List<CompletableFuture<CommitResult>> commits = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      OwnedShard shard = shards.get(random.nextInt(SHARDS));
      List<Write> writes = writes();
      history.sent(shard.shard(), writes);
      commits.add(shard.commit(writes));
    }
    commits.forEach(CompletableFuture::join);
  }

  private List<Write> writes() {
    Map<String, Write> writes = new TreeMap<>();
    for (int i = random.nextInt(4); i >= 0; i--) {
      String key = "k" + random.nextInt(KEYS);
      byte[] value = new byte[random.nextInt(random.nextInt(5) == 0 ? 8000 : 400)];
      random.nextBytes(value);
      writes.put(key, random.nextInt(4) == 0 ? Write.delete(key) : Write.put(key, value));
    }
    return List.copyOf(writes.values());
  }

  private void add() throws IOException {
    moments.add(new Moment(FolderImage.of(folder), history.position()));
  }

  List<Moment> moments() {
    return moments;
  }

  CommitHistory history() {
    return history;
  }
}
