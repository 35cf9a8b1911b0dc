package dev.plinth.ratelimit.store.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.Budget;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.BudgetStoreCase;
import dev.plinth.ratelimit.store.Operation.AcquireSlot;
import dev.plinth.ratelimit.store.Operation.ReleaseSlot;
import dev.plinth.ratelimit.store.Operation.RenewSlot;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.ratelimit.store.RowMemory;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.ManualClock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/** What a store that is stopped, killed or damaged comes back with. */
class EmbeddedBudgetStoreTest extends BudgetStoreCase {
  private static final Budget TEN = budget("ten", ten());
  private static final Budget TWO = budget("two", new Limit.Concurrency(2));

  @TempDir Path parent;
  private TimedEmbeddedStore disk;

  @Override
  protected BudgetStore open() {
    disk = new TimedEmbeddedStore(parent);
    return disk.open();
  }

  @Override
  protected void at(long micros) {
    disk.now = micros;
  }

  private void reopen() {
    store.close();
    store = disk.open();
  }

  private void crash() {
    store = disk.crash((EmbeddedBudgetStore) store);
  }

  private Outcome.SlotOutcome acquire(String slot) {
    return (Outcome.SlotOutcome) apply(new AcquireSlot(List.of(TWO), slot, Limit.HOUR));
  }

  private boolean renew(String slot) {
    return ((Outcome.Held) apply(new RenewSlot(slot, Limit.HOUR))).held();
  }

  @Test
  void close_writesEverything() {
    take(TEN, 4);
    take(reserve(3, 0, "t", TEN));
    BudgetRequest request = once(of(1, TEN), "r", "print");
    Outcome remembered = apply(DOMAIN, request).get(0);
    long token = acquire("s").token();
    reopen();
    assertEquals(2, available(TEN));
    assertEquals(remembered, apply(DOMAIN, request).get(0));
    assertEquals(new Outcome.Settled(true, 2), settle("t", 1));
    assertTrue(renew("s"));
    assertEquals(token, acquire("s").token());
    assertEquals(token + 1, acquire("other").token(), "a clean stop loses no tokens");
  }

  @Test
  void close_writesWhatIsGone_too() {
    take(reserve(3, 0, "t", TEN));
    acquire("s");
    disk.checkpoint();
    settle("t", 3);
    apply(new ReleaseSlot("s"));
    reopen();
    assertFalse(settle("t", 0).found());
    assertFalse(renew("s"));
    assertEquals(2, look(TWO).available());
  }

  @Test
  void crash_losesOnlyWhatCameAfterTheLastCheckpoint() {
    take(TEN, 4);
    disk.checkpoint();
    take(TEN, 5);
    store = disk.kill((EmbeddedBudgetStore) store);
    assertEquals(6, available(TEN), "the 5 of the last interval, and not more than they");
    disk.checkpoint();
    crash();
    assertEquals(6, available(TEN));
  }

  /** Bound (e): what comes on top of the size is what the lost intervals had admitted. */
  @Test
  void crash_againAndAgain_admitsAtMostWhatWasLostOnTop() {
    long size = 300;
    Budget slow = budget("slow", new Limit.Bucket(size, 24 * Limit.HOUR, 1));
    Random random = new Random(1);
    long admitted = 0;
    long sinceCheckpoint = 0;
    long lost = 0;
    for (int i = 0; i < 400; i++) {
      long granted = take(partial(1 + random.nextInt(5), slow)).granted();
      admitted += granted;
      sinceCheckpoint += granted;
      if (random.nextInt(4) == 0) {
        disk.checkpoint();
        sinceCheckpoint = 0;
      } else if (random.nextInt(25) == 0) {
        crash();
        lost += sinceCheckpoint;
        sinceCheckpoint = 0;
      }
      assertEquals(size + lost - admitted, available(slow));
    }
    assertTrue(lost > 0 && admitted > size, "something was lost");
  }

  @Test
  void checkpoint_whileManyDecide_losesNothing() {
    List<Budget> keys =
        IntStream.range(0, 5)
            .mapToObj(i -> budget("k" + i, new Limit.Bucket(100_000, Limit.HOUR, 1)))
            .toList();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<CompletableFuture<Void>> running =
          IntStream.range(0, 4)
              .mapToObj(
                  i ->
                      CompletableFuture.runAsync(
                          () -> IntStream.range(0, 2500).forEach(j -> take(keys.get(j % 5), 1)),
                          threads))
              .toList();
      while (!running.stream().allMatch(CompletableFuture::isDone)) {
        disk.checkpoint();
      }
      running.forEach(CompletableFuture::join);
    } finally {
      threads.shutdownNow();
    }
    disk.checkpoint();
    crash();
    keys.forEach(key -> assertEquals(100_000 - 2000, available(key)));
  }

  @Test
  void crash_tokenNeverFalls_whateverTheClockSays() {
    long last = 0;
    for (int i = 0; i < 4; i++) {
      for (int j = 0; j < 5; j++) {
        Outcome.SlotOutcome slotted = acquire("s" + i + j);
        assertTrue(slotted.token() > last, slotted.token() + " after " + last);
        last = slotted.token();
        apply(new ReleaseSlot("s" + i + j));
      }
      crash();
      setTime(START - i * 24 * Limit.HOUR);
    }
  }

  @Test
  void crash_ticketOfTheLastInterval_isNotFound_andGivesNothingBack() {
    take(TEN, 2);
    disk.checkpoint();
    take(reserve(5, 0, "t", TEN));
    crash();
    assertFalse(settle("t", 0).found());
    assertEquals(8, available(TEN));
  }

  @Test
  void checkpoint_isOfOneMoment() {
    Budget other = budget("other", ten());
    take(reserve(3, 0, "t", TEN, other));
    disk.checkpoint();
    crash();
    assertEquals(7, available(TEN));
    assertEquals(7, available(other));
    settle("t", 0);
    assertEquals(10, available(other));
  }

  /** Many more rows than a part of a checkpoint has. */
  private static Budget[] many() {
    return IntStream.range(0, 4 * CheckpointWriter.FEW)
        .mapToObj(i -> budget("many" + i, ten()))
        .toArray(Budget[]::new);
  }

  @Test
  void checkpoint_letsDecidersInBetweenItsParts_andIsStillOfOneMoment() {
    take(of(1, many()));
    AtomicInteger parts = new AtomicInteger();
    disk.beforeWrite =
        () -> {
          parts.incrementAndGet();
          assertEquals(1, take(of(1, many())).admitted(), "decided while a checkpoint is written");
        };
    disk.checkpoint();
    assertTrue(parts.get() >= 4, "parts: " + parts);
    crash();
    for (Budget each : many()) {
      assertEquals(9, available(each), "as it was when the checkpoint began");
    }
  }

  @Test
  void crashWithinACheckpoint_settlesNothingTwice_andLosesNoCharge() {
    take(reserve(5, 0, "old", TEN));
    disk.checkpoint();
    settle("old", 0);
    take(of(1, many()));
    take(reserve(4, 0, "new", TEN));
    AtomicInteger parts = new AtomicInteger();
    disk.beforeWrite = () -> disk.diskFails = parts.incrementAndGet() == 2;
    disk.checkpoint();
    disk.beforeWrite = () -> {};
    assertTrue(disk.diskFails, "in the middle");
    crash();
    long before = available(TEN);
    assertFalse(settle("old", 0).found(), "its settling is first");
    settle("new", 0);
    assertTrue(available(TEN) <= Math.max(before, 6), available(TEN) + " after " + before);
  }

  @Test
  void failingDisk_inTheMiddle_isTakenUpThere_andNothingIsLost() {
    take(of(1, many()));
    AtomicInteger parts = new AtomicInteger();
    disk.beforeWrite = () -> disk.diskFails = parts.incrementAndGet() == 2;
    disk.checkpoint();
    assertTrue(store.unavailableReason().isPresent());
    disk.beforeWrite = () -> {};
    disk.diskFails = false;
    take(of(1, many()));
    disk.checkpoint();
    assertTrue(store.unavailableReason().isEmpty());
    crash();
    for (Budget each : many()) {
      assertEquals(8, available(each), each.key());
    }
  }

  @Test
  void loss_isMeasured_fromTheMomentThatIsOnTheDisk() {
    reopen();
    advance(3 * SECOND);
    disk.checkpoint();
    assertEquals(loss(0, 3), store.loss());
    advance(2 * SECOND);
    take(TEN, 1);
    disk.beforeWrite = () -> advance(SECOND);
    disk.checkpoint();
    assertEquals(loss(1, 3), store.loss(), "a pass that takes long is part of it");
    disk.beforeWrite = () -> {};
    disk.diskFails = true;
    take(TEN, 1);
    advance(20 * SECOND);
    disk.checkpoint();
    assertEquals(loss(21, 3), store.loss(), "it grows while the disk fails");
    disk.diskFails = false;
    disk.checkpoint();
    assertEquals(loss(0, 21), store.loss());
    advance(60 * SECOND);
    disk.checkpoint();
    advance(60 * SECOND);
    disk.checkpoint();
    assertEquals(loss(0, 60), store.loss(), "what was long ago is forgotten");
  }

  private static Optional<BudgetStore.Loss> loss(long now, long worst) {
    return Optional.of(new BudgetStore.Loss(Duration.ofSeconds(now), Duration.ofSeconds(worst)));
  }

  @Test
  void clockBackBetweenRuns_deniesNoLongerThanTheBudget() {
    take(TEN, 10);
    store.close();
    disk.now = START - 30 * 24 * Limit.HOUR;
    store = disk.open();
    setTime(START - 30 * 24 * Limit.HOUR);
    assertEquals(SECOND, take(TEN, 1).retry());
    advance(10 * SECOND);
    assertEquals(1, take(TEN, 10).admitted());
  }

  @Test
  void clockForwardBetweenRuns_refillsUpToTheBurst() {
    take(TEN, 10);
    store.close();
    disk.now = START + 30 * 24 * Limit.HOUR;
    store = disk.open();
    assertEquals(10, available(TEN));
  }

  @Test
  void whatIsOver_leavesTheDisk() throws RocksDBException {
    for (int i = 0; i < 50; i++) {
      take(reserve(1, 0, "t" + i, budget("k" + i, ten())));
      apply(DOMAIN, once(of(0, TEN), "r" + i, "print"));
    }
    disk.checkpoint();
    advance(Limit.HOUR);
    disk.checkpoint();
    store.close();
    try (Options options = new Options();
        RocksDB db = RocksDB.open(options, disk.folder().toString());
        RocksIterator rows = db.newIterator()) {
      int count = 0;
      for (rows.seekToFirst(); rows.isValid(); rows.next()) {
        count++;
      }
      assertEquals(1, count, "only the tokens");
    }
    store = disk.open();
  }

  @Test
  void damagedRow_isRefused_byItsName() throws RocksDBException {
    Map<String, String> damaged =
        Map.of(
            "bd\0ten", "v1 b 1 oops",
            "bd\0old", "v9 b 1",
            "bd\0zero", "v1 b 1 1 0 0 0 0 0 0 1 0",
            "bd\0more", "v1 f 1 1 0 0 0 5 1000 1 1 7",
            "td\0t1", "v1 5 1 2\nx",
            "sd\0s1", "v1 5",
            "rd\0r1", "v1 5\nnothing\nprint",
            "xd\0k", "v1",
            "yd\0k", "v1 1",
            "b", "v1");
    for (Map.Entry<String, String> row : damaged.entrySet()) {
      store.close();
      overwrite(row.getKey(), row.getValue());
      StoreUnavailable refused = assertThrows(StoreUnavailable.class, disk::open, row.getKey());
      String name = row.getKey().replace('\0', ' ');
      assertTrue(
          refused.getMessage().contains("row " + name + " is damaged"), refused.getMessage());
      overwrite(row.getKey(), "");
      store = disk.open();
    }
  }

  private void overwrite(String name, String text) throws RocksDBException {
    byte[] key = name.getBytes(StandardCharsets.UTF_8);
    try (Options options = new Options();
        RocksDB db = RocksDB.open(options, disk.folder().toString())) {
      if (text.isEmpty()) {
        db.delete(key);
      } else {
        db.put(key, text.getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  @Test
  void open_whileHeld_isRefused() {
    StoreUnavailable refused = assertThrows(StoreUnavailable.class, disk::open);
    assertTrue(refused.getMessage().contains("LOCK"), refused.getMessage());
  }

  @Test
  void failingDisk_isTold_budgetsGoOn_andNothingIsLostOnceItMends() {
    Budget other = budget("other", ten());
    take(of(4, TEN, other));
    disk.diskFails = true;
    disk.checkpoint();
    assertEquals(
        "a checkpoint failed: No space left on device", store.unavailableReason().orElseThrow());
    assertEquals(1, take(TEN, 3).admitted());
    disk.diskFails = false;
    disk.checkpoint();
    assertTrue(store.unavailableReason().isEmpty());
    crash();
    assertEquals(3, available(TEN));
    assertEquals(6, available(other), "not touched since the checkpoint that failed");
  }

  @Test
  void failingDisk_tokensThatAreNotSetAside_areNotGiven() {
    SlotTokenSequence tokens = new SlotTokenSequence();
    tokens.begin(5);
    assertThrows(StoreUnavailable.class, tokens::next);
    tokens.setAside(tokens.wanted());
    assertEquals(6, tokens.next());
    for (long i = 0; i < SlotTokenSequence.BLOCK - 1; i++) {
      tokens.next();
    }
    assertThrows(StoreUnavailable.class, tokens::next);
    assertEquals(5 + SlotTokenSequence.BLOCK, tokens.last());
    tokens.setAside(tokens.wanted());
    assertEquals(6 + SlotTokenSequence.BLOCK, tokens.next());
  }

  @Test
  void apply_afterClose_isRefused() {
    take(TEN, 1);
    store.close();
    CompletionException refused = assertThrows(CompletionException.class, () -> take(TEN, 1));
    assertInstanceOf(StoreUnavailable.class, refused.getCause());
    store = disk.open();
  }

  @Test
  void checkpoints_happenByThemselves() {
    Path folder = parent.resolve("real");
    try (BudgetStore real =
        EmbeddedBudgetStore.open(folder, Duration.ofMillis(20), new RowMemory(1L << 30))) {
      real.apply(DOMAIN, List.of(BudgetRequest.of(of(4, TEN)))).toCompletableFuture().join();
      assertEquals("budgets embedded " + folder, describe(real));
      Await.until("written", () -> written(folder));
    }
  }

  private static String describe(BudgetStore store) {
    return store.name() + " " + store.kind() + " " + store.location();
  }

  private static boolean written(Path folder) throws RocksDBException {
    try (Options options = new Options();
        RocksDB db = RocksDB.openReadOnly(options, folder.toString())) {
      return db.get("bd\0ten".getBytes(StandardCharsets.UTF_8)) != null;
    }
  }

  @Test
  void clock_goesByTheMonotonicOne() {
    ManualClock clock = new ManualClock();
    LongSupplier micros = EmbeddedBudgetStore.clock(clock, clock.nanos());
    assertEquals(START, micros.getAsLong());
    clock.advance(Duration.ofMillis(1500));
    clock.stepWall(Duration.ofHours(-1));
    assertEquals(START + 1_500_000, micros.getAsLong());
  }
}
