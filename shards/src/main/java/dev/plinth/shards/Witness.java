package dev.plinth.shards;

import dev.plinth.server.StartRefused;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.TreeMap;

/**
 * Notes beside the store how far its shards were. A store that is found to be behind was brought
 * back from a backup: its tokens would be given out a second time, so it is not served until an
 * operator raises the generation.
 */
final class Witness {
  private static final Logger log = System.getLogger("plinth.shards");

  private final Path file;
  private final Map<Integer, Long> noted = new TreeMap<>();
  private boolean changed;
  private String trouble;

  private Witness(Path file) {
    this.file = file;
  }

  /** Remembers nothing beyond this process. */
  static Witness none() {
    return new Witness(null);
  }

  static Witness in(Path file) {
    Witness witness = new Witness(file);
    try {
      if (Files.exists(file)) {
        Files.readAllLines(file).forEach(witness::load);
      }
    } catch (IOException | NumberFormatException e) {
      throw new StartRefused("cannot read " + file + ": " + e.getMessage(), e);
    }
    return witness;
  }

  private void load(String line) {
    String[] words = line.split(" ");
    noted.put(Integer.parseInt(words[0]), Long.parseLong(words[1]));
  }

  /** Refuses a shard that was further once. */
  synchronized void check(int shard, long revision) {
    long seen = noted.getOrDefault(shard, 0L);
    if (revision < seen) {
      trouble =
          ("shard %d is at commit %d but was at %d: the store is older than it was. If it was"
                  + " restored from a backup, start with shards.generation one higher than before")
              .formatted(shard, revision, seen);
      throw new IllegalStateException(trouble);
    }
  }

  synchronized void note(int shard, long revision) {
    changed |= noted.merge(shard, revision, Math::max) == revision;
  }

  /** Throws if any shard was refused. */
  synchronized void refuseStart() {
    if (trouble != null) {
      throw new StartRefused(trouble, null);
    }
  }

  /** Not synced: what a crash of the machine forgets makes it less watchful, not wrong. */
  synchronized void save() {
    if (file == null || !changed) {
      return;
    }
    StringBuilder lines = new StringBuilder();
    noted.forEach((shard, revision) -> lines.append(shard + " " + revision + "\n"));
    try {
      Path next = file.resolveSibling(file.getFileName() + ".next");
      Files.writeString(next, lines);
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      changed = false;
    } catch (IOException e) {
      log.log(Level.WARNING, "cannot write " + file, e);
    }
  }
}
