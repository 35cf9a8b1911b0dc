package dev.plinth.ratelimit.store.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.Budget;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.BudgetStoreCase;
import dev.plinth.ratelimit.store.Operation.AcquireSlot;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.ratelimit.store.Outcome.SlotOutcome;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Opens what a crash or a damage leaves of the budgets' file: what the last checkpoint had is there
 * and tokens go on rising, or the start is refused.
 */
class BudgetCrashStatesTest extends BudgetStoreCase {
  private static final int STATES = 70;
  private static final int KEYS = 5;
  private static final long SIZE = 100_000;
  private static final Budget SLOTS = budget("slots", new Limit.Concurrency(1_000_000));
  private static final String DATA = ".*\\.log|.*\\.sst|MANIFEST.*|CURRENT";

  /** The folder after a checkpoint, what was used of each budget by then, and the last token. */
  private record Moment(SortedMap<String, byte[]> files, long[] used, long token) {}

  /** What a crash or a damage leaves. */
  private enum Kind {
    TORN_LOG,
    GARBLED_TAIL,
    FLIPPED_BIT,
    ZEROED_BYTES,
    CUT_FILE,
    MISSING_FILE,
    MARKS;

    boolean isCrash() {
      return this == TORN_LOG || this == GARBLED_TAIL;
    }
  }

  private Path parent;
  private final Random random = new Random(1);
  private final long[] used = new long[KEYS];
  private final List<Moment> moments = new ArrayList<>();
  private TimedEmbeddedStore disk;
  private long token;
  private String what;

  /** In memory if possible: each start waits for a disk several times, however busy that is. */
  @Override
  protected BudgetStore open() {
    try {
      Path memory = Path.of("/dev/shm");
      parent =
          Files.isWritable(memory)
              ? Files.createTempDirectory(memory, "budgets")
              : Files.createTempDirectory("budgets");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    disk = new TimedEmbeddedStore(parent);
    return disk.open();
  }

  @AfterEach
  void deleteFolder() throws IOException {
    store.close();
    try (Stream<Path> files = Files.walk(parent)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  @Override
  protected void at(long micros) {
    disk.now = micros;
  }

  private static Budget key(int number) {
    return budget("k" + number, new Limit.Bucket(SIZE, 24 * Limit.HOUR, 1));
  }

  @Test
  void crashesAndDamage_giveNothingTwice_orRefuseTheStart() throws IOException {
    record();
    Map<Kind, Map<String, Integer>> figures = new TreeMap<>();
    List<String> failures = new ArrayList<>();
    for (int i = 0; i < STATES; i++) {
      Kind kind = Kind.values()[i % Kind.values().length];
      int index = random.nextInt(moments.size() - 1);
      Path folder = parent.resolve("state" + i).resolve("data0");
      write(folder, kind.isCrash() ? crashed(kind, index) : damaged(kind, index));
      String outcome = outcome(folder, index, kind);
      figures
          .computeIfAbsent(kind, any -> new TreeMap<>())
          .merge(outcome.split(":")[0], 1, Integer::sum);
      if (outcome.startsWith("WRONG")) {
        failures.add("state %d, %s, moment %d, %s: %s".formatted(i, kind, index, what, outcome));
      }
    }
    System.out.println(figures);
    assertEquals(List.of(), failures);
  }

  @Test
  void folderThatIsGivenUp_beginsWithFullBudgets_andHigherTokens() throws IOException {
    take(key(0), 7);
    token = acquire(store, "s");
    store.close();
    Files.delete(disk.folder().resolve("CURRENT"));
    StoreUnavailable refused = assertThrows(StoreUnavailable.class, disk::open);
    assertTrue(refused.getMessage().contains("delete everything"), refused.getMessage());
    for (String file : read(disk.folder()).keySet()) {
      if (!file.equals(CheckpointMarks.FILE)) {
        Files.delete(disk.folder().resolve(file));
      }
    }
    store = disk.open();
    assertEquals(SIZE, available(key(0)));
    assertTrue(acquire(store, "s") > token);
  }

  private void record() throws IOException {
    for (int i = 0; i < 60; i++) {
      for (int takes = random.nextInt(20); takes >= 0; takes--) {
        int key = random.nextInt(KEYS);
        used[key] += take(partial(1 + random.nextInt(5), key(key))).granted();
      }
      token = acquire(store, "s" + i);
      if (i % 15 == 14) {
        store.close();
        moments.add(new Moment(read(disk.folder()), used.clone(), token));
        store = disk.open();
      } else {
        disk.checkpoint();
        moments.add(new Moment(read(disk.folder()), used.clone(), token));
      }
    }
  }

  private static long acquire(BudgetStore from, String slot) {
    AcquireSlot acquire = new AcquireSlot(List.of(SLOTS), slot, Limit.HOUR);
    return ((SlotOutcome) from.apply(DOMAIN, one(acquire)).toCompletableFuture().join().get(0))
        .token();
  }

  private static List<BudgetRequest> one(AcquireSlot acquire) {
    return List.of(BudgetRequest.of(acquire));
  }

  /** The log of the next moment, of which only the part up to this one was synced. */
  private SortedMap<String, byte[]> crashed(Kind kind, int index) {
    SortedMap<String, byte[]> files = new TreeMap<>(moments.get(index).files);
    String log = files.keySet().stream().filter(f -> f.endsWith(".log")).toList().get(0);
    byte[] synced = files.get(log);
    byte[] later = moments.get(index + 1).files.getOrDefault(log, synced);
    int end = synced.length + random.nextInt(later.length - synced.length + 1);
    byte[] left = Arrays.copyOf(later, end);
    if (kind == Kind.GARBLED_TAIL) {
      byte[] noise = new byte[left.length - synced.length];
      random.nextBytes(noise);
      System.arraycopy(noise, 0, left, synced.length, noise.length);
    }
    files.put(log, left);
    what = log + " ends at " + end;
    return files;
  }

  private SortedMap<String, byte[]> damaged(Kind kind, int index) {
    SortedMap<String, byte[]> files = new TreeMap<>(moments.get(index).files);
    List<String> names = files.keySet().stream().filter(file -> file.matches(DATA)).toList();
    String name =
        kind == Kind.MARKS ? CheckpointMarks.FILE : names.get(random.nextInt(names.size()));
    byte[] bytes = files.get(name).clone();
    int at = random.nextInt(Math.max(1, bytes.length));
    what = name + " at " + at;
    int how = kind == Kind.MARKS ? random.nextInt(4) : kind.ordinal() - 2;
    if (how == 3) {
      files.remove(name);
    } else if (how == 2) {
      files.put(name, Arrays.copyOf(bytes, random.nextBoolean() ? at : bytes.length * 2 / 3));
    } else if (bytes.length > 0 && how == 1) {
      Arrays.fill(bytes, at, Math.min(bytes.length, at + 64), (byte) 0);
      files.put(name, bytes);
    } else if (bytes.length > 0) {
      bytes[at] ^= (byte) (1 << random.nextInt(8));
      files.put(name, bytes);
    }
    return files;
  }

  private String outcome(Path folder, int index, Kind kind) {
    Moment before = moments.get(index);
    Moment after = kind.isCrash() ? moments.get(index + 1) : before;
    TimedEmbeddedStore other = new TimedEmbeddedStore(folder.getParent());
    other.now = disk.now;
    try (EmbeddedBudgetStore reopened = other.open()) {
      for (int i = 0; i < KEYS; i++) {
        long gone = SIZE - available(reopened, key(i));
        if (gone < before.used[i] || gone > after.used[i]) {
          return "WRONG: %s has used %d (expected: %d to %d)"
              .formatted(key(i).key(), gone, before.used[i], after.used[i]);
        }
      }
      long next = acquire(reopened, "next");
      return next > after.token ? "all there" : "WRONG: token " + next + " after " + after.token;
    } catch (StoreUnavailable e) {
      String why = e.getMessage();
      boolean isTold = why.contains(folder.toString()) && why.contains("delete ");
      if (kind.isCrash() || !isTold) {
        return "WRONG: refused: " + why;
      }
      assertThrows(StoreUnavailable.class, other::open, "refused, then opened: " + what);
      return "refused";
    }
  }

  private static long available(BudgetStore from, Budget budget) {
    var look = List.of(BudgetRequest.of(of(0, budget)));
    var looked = from.apply(DOMAIN, look).toCompletableFuture().join().get(0);
    return ((Outcome.Taken) looked).standings().get(0).available();
  }

  private static SortedMap<String, byte[]> read(Path folder) throws IOException {
    SortedMap<String, byte[]> files = new TreeMap<>();
    try (Stream<Path> listed = Files.list(folder)) {
      for (Path file : listed.toList()) {
        files.put(file.getFileName().toString(), Files.readAllBytes(file));
      }
    }
    return files;
  }

  private static void write(Path folder, SortedMap<String, byte[]> files) throws IOException {
    Files.createDirectories(folder);
    for (String name : files.keySet()) {
      Files.write(folder.resolve(name), files.get(name));
    }
  }
}
