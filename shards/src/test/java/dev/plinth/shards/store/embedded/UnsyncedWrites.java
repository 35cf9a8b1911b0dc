package dev.plinth.shards.store.embedded;

import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * What a crash of the machine may leave of the files that changed between two moments. Of the later
 * one nothing was acknowledged. The order that RocksDB keeps by its syncs is kept: tables before
 * the manifest that names them, a manifest before the files go that it no longer names, a log
 * before the next one.
 */
final class UnsyncedWrites {
  private static final String TABLE = "[0-9]+\\.sst";
  private static final String UNUSED = "OPTIONS.*|IDENTITY|.*dbtmp";

  private final FolderImage before;
  private final FolderImage after;
  private final Random random;
  private FolderImage left;

  UnsyncedWrites(FolderImage before, FolderImage after, Random random) {
    this.before = before;
    this.after = after;
    this.random = random;
    this.left =
        before.has(LastCommitFile.FILE)
            ? after.with(LastCommitFile.FILE, before.files().get(LastCommitFile.FILE))
            : after.without(LastCommitFile.FILE);
  }

  /** The log ends somewhere behind what was synced; all other files are whole. */
  FolderImage tornLog() {
    cutLogs(random.nextDouble());
    return left;
  }

  /** Behind what was synced, the log has zeroes, noise, or a hole. */
  FolderImage garbledTail() {
    List<String> logs = after.logs();
    String log = logs.get(logs.size() - 1);
    int synced = before.size(log);
    return left.change(
        log,
        bytes -> {
          int from = synced + random.nextInt(bytes.length - synced + 1);
          int to = from + random.nextInt(bytes.length - from + 1);
          byte[] noise = new byte[to - from];
          if (random.nextBoolean()) {
            random.nextBytes(noise);
          }
          System.arraycopy(noise, 0, bytes, from, noise.length);
          return random.nextBoolean() ? bytes : Arrays.copyOf(bytes, bytes.length + 100);
        });
  }

  /** Part of a flush or of a compaction, and of the log. */
  FolderImage files() {
    String manifest = after.manifest().orElseThrow();
    int synced = before.size(manifest);
    int whole = after.size(manifest);
    int end = random.nextBoolean() ? synced : synced + random.nextInt(whole - synced + 1);
    left = left.change(manifest, bytes -> Arrays.copyOf(bytes, end));
    for (String name : before.files().keySet()) {
      if (!after.has(name) && (end < whole || random.nextBoolean())) {
        left = left.with(name, before.files().get(name));
      }
    }
    boolean isLogGone = before.logs().stream().anyMatch(log -> !after.has(log));
    if (isLogGone && end < whole) {
      // How that log went on is not known here, so nothing that came after it may be there.
      after.logs().stream().filter(log -> !before.has(log)).forEach(this::loseContent);
    } else {
      cutLogs(random.nextDouble());
    }
    if (end == synced) {
      after.names(TABLE).stream().filter(table -> !before.has(table)).forEach(this::losePart);
    }
    loseUnused();
    return left;
  }

  /** Part of a start, which ends with a new manifest. */
  FolderImage start() {
    if (random.nextInt(3) == 0) {
      for (String name : before.files().keySet()) {
        if (!after.has(name) && random.nextBoolean()) {
          left = left.with(name, before.files().get(name));
        }
      }
      cutLogs(random.nextDouble());
    } else {
      left = before;
      for (String name : after.files().keySet()) {
        if (!before.has(name) && !name.equals("CURRENT") && !name.equals(LastCommitFile.FILE)) {
          left = left.with(name, after.files().get(name));
          if (name.endsWith(".log") && before.has("CURRENT")) {
            loseContent(name);
          } else if (name.endsWith(".log")) {
            left = left.without(name); // a new folder has its CURRENT before its first log
          } else {
            losePart(name);
          }
        }
      }
      if (random.nextBoolean()) {
        left = left.with("000099.dbtmp", after.files().get("CURRENT"));
        losePart("000099.dbtmp");
      }
    }
    loseUnused();
    return left;
  }

  private void cutLogs(double part) {
    int unsynced = after.logs().stream().mapToInt(log -> after.size(log) - before.size(log)).sum();
    int rest = (int) Math.round(unsynced * part);
    for (String log : after.logs()) {
      int taken = Math.min(rest, after.size(log) - before.size(log));
      int end = before.size(log) + taken;
      rest -= taken;
      left = left.change(log, bytes -> Arrays.copyOf(bytes, end));
      if (end == 0 && random.nextBoolean()) {
        left = left.without(log);
      }
    }
  }

  private void loseUnused() {
    left.names(UNUSED).stream().filter(name -> random.nextInt(4) == 0).forEach(this::losePart);
  }

  private void loseContent(String name) {
    left = random.nextBoolean() ? left.without(name) : left.with(name, new byte[0]);
  }

  private void losePart(String name) {
    if (random.nextInt(3) == 0) {
      left = left.without(name);
    } else if (random.nextBoolean()) {
      left = left.change(name, b -> Arrays.copyOf(b, random.nextInt(b.length + 1)));
    }
  }
}
