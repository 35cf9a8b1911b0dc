package dev.plinth.shards;

import dev.plinth.server.StartRefusedException;
import dev.plinth.shards.store.HighWaterMarks;
import dev.plinth.shards.store.ShardStore.Owner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;

/**
 * Notes in a second place how far the shards were. A store that is found to be behind was brought
 * back from a backup: its tokens would be given out a second time, so it is not served until an
 * operator raises the generation. Without a file it remembers for the life of the process.
 */
final class RollbackDetector implements AutoCloseable {
  private final Path file;
  private final HighWaterMarks marks;
  private final long[] noted;

  private RollbackDetector(Path file, HighWaterMarks marks, int shards) {
    this.file = file;
    this.marks = marks;
    this.noted =
        IntStream.range(0, shards).mapToLong(i -> marks == null ? 0 : marks.get(i)).toArray();
  }

  /** Remembers nothing beyond this process. */
  static RollbackDetector inMemory(int shards) {
    return new RollbackDetector(null, null, shards);
  }

  static RollbackDetector in(Path file, int shards) {
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      HighWaterMarks marks =
          HighWaterMarks.open(file, IntStream.range(0, shards).mapToObj(String::valueOf).toList());
      return new RollbackDetector(file, marks, shards);
    } catch (IOException e) {
      throw new StartRefusedException("cannot use " + file + ": " + e.getMessage(), e);
    }
  }

  /** Refuses a shard that was further once. */
  synchronized void check(int shard, long revision) {
    if (revision < noted[shard]) {
      throw new ShardRefusedException(
          ("shard %d is at commit %d but was at %d: the store was put back to an older state. After"
                  + " restoring a backup, start every node with --shards.generation one higher than"
                  + " before, so that tokens go on rising%s")
              .formatted(
                  shard,
                  revision,
                  noted[shard],
                  file == null ? "" : "; if this is meant to be another store, delete " + file));
    }
  }

  synchronized void record(int shard, long revision) {
    if (revision > noted[shard]) {
      noted[shard] = revision;
      if (marks != null) {
        marks.raise(shard, revision);
      }
    }
  }

  /**
   * Notes how far a shard is that another node serves. Its generation is taken for the one that was
   * noted last: if it is higher, the note is lower than it could be.
   */
  synchronized void record(Owner owner) {
    int generation = (int) (noted[owner.shard()] / Generation.base(1));
    if (!owner.node().self() && owner.revision() < Generation.base(1)) {
      record(owner.shard(), Generation.base(generation) + owner.revision());
    }
  }

  /** Not synced: what a crash of the machine forgets makes it less watchful, not wrong. */
  synchronized void save() {
    if (marks != null) {
      marks.merge();
      marks.write();
    }
  }

  @Override
  public void close() {
    if (marks != null) {
      marks.close();
    }
  }
}
