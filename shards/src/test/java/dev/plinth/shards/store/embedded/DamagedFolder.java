package dev.plinth.shards.store.embedded;

import dev.plinth.shards.store.embedded.CrashState.Kind;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Damages one file of a folder, within what was synced. */
final class DamagedFolder {
  private static final List<String> FILES =
      List.of(
          "[0-9]+\\.log",
          "[0-9]+\\.log",
          "[0-9]+\\.log",
          "[0-9]+\\.sst",
          "MANIFEST.*",
          "MANIFEST.*",
          "CURRENT",
          "OPTIONS.*",
          "IDENTITY");

  private final Random random;
  private FolderImage folder;
  private String what = "nothing";

  DamagedFolder(FolderImage folder, Random random) {
    this.folder = folder;
    this.random = random;
  }

  FolderImage folder() {
    return folder;
  }

  String what() {
    return what;
  }

  void damage(Kind kind) {
    String name = pick(folder.names(FILES.get(random.nextInt(FILES.size()))));
    int size = folder.size(name);
    if (kind == Kind.SWAPPED_FILES) {
      swap();
    } else if (kind == Kind.MISSING_FILE) {
      folder = folder.without(name);
      what = name + " is missing";
    } else if (size > 0) {
      folder = folder.change(name, bytes -> damage(kind, name, bytes));
    }
  }

  private byte[] damage(Kind kind, String name, byte[] bytes) {
    int at = random.nextInt(bytes.length);
    if (kind == Kind.FLIPPED_BIT) {
      int bit = random.nextInt(8);
      bytes[at] ^= (byte) (1 << bit);
      what = "%s: bit %d of byte %d is flipped".formatted(name, bit, at);
      return bytes;
    }
    if (kind == Kind.ZEROED_BYTES) {
      int end = Math.min(bytes.length, at + 64);
      Arrays.fill(bytes, at, end, (byte) 0);
      what = "%s: bytes %d to %d of %d are zero".formatted(name, at, end, bytes.length);
      return bytes;
    }
    int end = random.nextBoolean() ? bytes.length * 2 / 3 : at;
    what = "%s: cut from %d to %d".formatted(name, bytes.length, end);
    return Arrays.copyOf(bytes, end);
  }

  private void swap() {
    List<String> logs = folder.logs().stream().filter(log -> folder.size(log) > 0).toList();
    List<String> names = logs.size() > 1 ? logs : folder.names("[0-9]+\\.sst");
    if (names.size() > 1) {
      String one = names.get(0);
      String other = names.get(1 + random.nextInt(names.size() - 1));
      byte[] bytes = folder.files().get(one);
      folder = folder.with(one, folder.files().get(other)).with(other, bytes);
      what = "%s and %s are swapped".formatted(one, other);
    }
  }

  /** COMMITTED is missing, torn, noise, or that of another moment. */
  void damageMarks(FolderImage other) {
    String marks = LastCommitFile.FILE;
    int how = random.nextInt(5);
    what = marks + ": damage " + how;
    if (how == 0 || !folder.has(marks)) {
      folder = folder.without(marks);
    } else if (how == 1) {
      folder = folder.change(marks, b -> Arrays.copyOf(b, random.nextInt(b.length)));
    } else if (how == 2) {
      folder = folder.change(marks, b -> damage(Kind.FLIPPED_BIT, marks, b));
    } else if (how == 3) {
      folder = folder.change(marks, b -> damage(Kind.ZEROED_BYTES, marks, b));
    } else if (other.has(marks)) {
      folder = folder.with(marks, other.files().get(marks));
    }
  }

  private String pick(List<String> names) {
    return names.isEmpty() ? "CURRENT" : names.get(random.nextInt(names.size()));
  }
}
