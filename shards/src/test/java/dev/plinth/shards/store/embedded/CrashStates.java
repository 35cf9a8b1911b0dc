package dev.plinth.shards.store.embedded;

import dev.plinth.shards.store.embedded.CrashState.Kind;
import dev.plinth.shards.store.embedded.RecordedRun.Moment;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/** Makes crash states of a recorded run. */
final class CrashStates {
  private static final int LINE = 32;

  private final List<Moment> moments;
  private final Random random;

  CrashStates(RecordedRun run, Random random) {
    this.moments = run.moments();
    this.random = random;
  }

  /** One of the kind, at a moment by chance. */
  CrashState next(Kind kind) {
    while (true) {
      Optional<CrashState> state = at(kind, random.nextInt(moments.size() - 1));
      if (state.isPresent()) {
        return state.get();
      }
    }
  }

  /** Empty if the kind does not occur between the moment and the next. */
  private Optional<CrashState> at(Kind kind, int index) {
    Moment before = moments.get(index);
    Moment after = moments.get(index + 1);
    boolean isStart = !before.folder().manifest().equals(after.folder().manifest());
    UnsyncedWrites writes = new UnsyncedWrites(before.folder(), after.folder(), random);
    if (kind == Kind.UNSYNCED_START) {
      return isStart ? Optional.of(between(kind, index, writes.start())) : Optional.empty();
    }
    if (kind == Kind.TORN_LOG || kind == Kind.GARBLED_TAIL || kind == Kind.UNSYNCED_FILES) {
      if (isStart) {
        return Optional.empty();
      }
      return Optional.of(
          between(
              kind,
              index,
              kind == Kind.TORN_LOG
                  ? writes.tornLog()
                  : kind == Kind.GARBLED_TAIL ? writes.garbledTail() : writes.files()));
    }
    return before.folder().has(LastCommitFile.FILE)
        ? Optional.of(damaged(kind, index))
        : Optional.empty();
  }

  private CrashState between(Kind kind, int index, FolderImage folder) {
    Moment before = moments.get(index);
    Moment after = moments.get(index + 1);
    return new CrashState(
        kind, "after group " + index, folder, before.acknowledged(), after.acknowledged());
  }

  private CrashState damaged(Kind kind, int index) {
    Moment at = moments.get(index);
    if (kind == Kind.OLD_MARKS) {
      String what = "after group " + index;
      return new CrashState(kind, what, oldMarks(index), at.acknowledged(), at.acknowledged());
    }
    DamagedFolder damage = new DamagedFolder(at.folder(), random);
    if (kind == Kind.DAMAGED_MARKS) {
      damage.damageMarks(moments.get(random.nextInt(moments.size())).folder());
    } else {
      damage.damage(kind);
    }
    String what = "after group %d: %s".formatted(index, damage.what());
    return new CrashState(kind, what, damage.folder(), at.acknowledged(), at.acknowledged());
  }

  private FolderImage oldMarks(int index) {
    FolderImage now = moments.get(index).folder();
    FolderImage then = moments.get(random.nextInt(index + 1)).folder();
    if (!then.has(LastCommitFile.FILE)) {
      return now.without(LastCommitFile.FILE);
    }
    byte[] old = then.files().get(LastCommitFile.FILE);
    return now.change(
        LastCommitFile.FILE,
        marks -> {
          for (int line = 0; line < marks.length; line += LINE) {
            if (random.nextInt(3) > 0) {
              System.arraycopy(old, line, marks, line, LINE);
            }
          }
          return marks;
        });
  }

  /** The log cut at every byte between two groups that have a small commit between them. */
  List<CrashState> everyCut(int index) {
    Moment before = moments.get(index);
    FolderImage after = moments.get(index + 1).folder();
    String log = after.logs().get(after.logs().size() - 1);
    byte[] marks = before.folder().files().get(LastCommitFile.FILE);
    return IntStream.rangeClosed(before.folder().size(log), after.size(log))
        .mapToObj(
            end ->
                after
                    .change(log, bytes -> Arrays.copyOf(bytes, end))
                    .with(LastCommitFile.FILE, marks))
        .map(folder -> between(Kind.TORN_LOG, index, folder))
        .toList();
  }
}
