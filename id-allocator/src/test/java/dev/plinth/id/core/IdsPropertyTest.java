package dev.plinth.id.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A random walk: grants, returns, renewals, releases, commits that come late or never, takeovers,
 * and a wall clock that jumps. Only what a caller would have heard counts.
 */
class IdsPropertyTest extends CoreTest {
  private static final int STEPS = 3000;
  private static final SnowflakeBitLayout LAYOUT = new SnowflakeBitLayout(EPOCH, 41, 2, 20, 1);
  private static final Set<ErrorReason> EXPECTED =
      Set.of(
          ErrorReason.ERROR_REASON_RATE_EXCEEDED,
          ErrorReason.ERROR_REASON_QUOTA_EXCEEDED,
          ErrorReason.ERROR_REASON_SEQUENCE_EXHAUSTED);

  private Random random;
  private final Set<Long> counted = new HashSet<>();
  private final Set<Long> minted = new HashSet<>();
  private long highestMinted;
  private final List<RangeView> ranges = new ArrayList<>();
  private final List<WorkerView> workers = new ArrayList<>();
  // Told windows by worker and epoch: the floor, and the highest ceiling that was told.
  private final Map<Integer, TreeMap<Long, long[]>> windows = new HashMap<>();
  // By worker and epoch; who has given it back uses it no more, even if a renewal comes in late.
  private final Set<String> released = new HashSet<>();
  private final List<Runnable> waiting = new ArrayList<>();

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void I1_I2_I3_I4_I6_holdAfterEveryStep(long seed) {
    random = new Random(seed);
    define(ORDERS, dense());
    define(EVENTS, snowflake(LAYOUT));
    for (int i = 0; i < STEPS; i++) {
      step();
      IdNamespaceStatus.DenseProgress now = progress();
      assertEquals(now.next() - 1, now.sequenceLedger().sum(), "seed " + seed + ", step " + i);
      assertEquals(events.ids, events.sequenceLedger.sum());
      assertTrue(now.sequenceLedger().outstanding() >= 0 && now.sequenceLedger().wasted() >= 0);
    }
    assertTrue(counted.size() > 1000 && minted.size() > 100, "the walk is too tame");
    checkWindows();
  }

  private void step() {
    try {
      switch (random.nextInt(16)) {
        case 0, 1, 2 -> count();
        case 3, 4 -> lease();
        case 5 -> giveBack();
        case 6, 7 -> mint();
        case 8 -> leaseAWorker();
        case 9 -> renew();
        case 10 -> release();
        case 11, 12 -> commit();
        case 13 -> clock.advance(Duration.ofMillis(random.nextInt(20_000)));
        case 14 -> clock.stepWall(Duration.ofMillis(random.nextInt(7_200_000) - 3_000_000));
        default -> rarely();
      }
    } catch (Failure refused) {
      assertTrue(EXPECTED.contains(refused.reason()), refused::getMessage);
      assertEquals(0, tx.writes(), "a refusal changes nothing");
    }
  }

  private void count() {
    boolean remember = flip();
    Allocation<AllocatedIds> allocation = ids.allocate(ORDERS, 1 + random.nextInt(30), tx.next());
    told(
        allocation.durable() && !remember,
        () -> {
          for (int i = 0; i < allocation.value().count(); i++) {
            assertTrue(counted.add(allocation.value().first() + i), "given twice");
          }
        });
  }

  private void lease() {
    boolean remember = flip();
    Allocation<RangeView> allocation = ids.leaseRange(ORDERS, random.nextInt(60), tx.next());
    told(allocation.durable() && !remember, () -> ranges.add(allocation.value()));
  }

  /** The client says how many it used; only those count as given. */
  private void giveBack() {
    if (!ranges.isEmpty()) {
      RangeView range = ranges.remove(random.nextInt(ranges.size()));
      long used = random.nextInt((int) range.count() + 1);
      use(range, used);
      ids.returnRange(ORDERS, range.leaseId(), used, tx.next());
    }
  }

  private void use(RangeView range, long used) {
    for (int i = 0; i < used; i++) {
      assertTrue(counted.add(range.first() + i), "given twice, in a range");
    }
  }

  private void mint() {
    boolean remember = flip();
    Allocation<AllocatedIds> allocation = ids.allocate(EVENTS, 1 + random.nextInt(20), tx.next());
    long highest = highestMinted;
    allocation.value().listed().forEach(id -> assertTrue(id > highest, "fell"));
    told(
        allocation.durable() && !remember,
        () ->
            allocation
                .value()
                .listed()
                .forEach(
                    id -> {
                      assertTrue(minted.add(id), "minted twice");
                      highestMinted = Math.max(highestMinted, id);
                    }));
  }

  private void leaseAWorker() {
    if (ids.leaseWorker(EVENTS, "w", tx.next()) instanceof LeaseWorkerResult.Leased leased) {
      told(false, () -> heard(leased.worker()));
    }
  }

  private void renew() {
    if (!workers.isEmpty()) {
      WorkerView old = workers.get(random.nextInt(workers.size()));
      Allocation<Optional<WorkerView>> renewed =
          ids.renewWorker(EVENTS, old.worker(), old.epoch(), tx.next());
      told(renewed.durable(), () -> renewed.value().ifPresent(this::heard));
    }
  }

  private void heard(WorkerView worker) {
    workers.add(worker);
    long[] window =
        windows
            .computeIfAbsent(worker.worker(), w -> new TreeMap<>())
            .computeIfAbsent(
                worker.epoch(), e -> new long[] {worker.floorMs(), worker.ceilingMs()});
    assertEquals(window[0], worker.floorMs());
    if (!released.contains(worker.worker() + "/" + worker.epoch())) {
      window[1] = Math.max(window[1], worker.ceilingMs());
    }
  }

  private void release() {
    if (!workers.isEmpty()) {
      WorkerView old = workers.remove(random.nextInt(workers.size()));
      long[] window = windows.get(old.worker()).get(old.epoch());
      // Half of them gave out all they could; the others stop where they are.
      long last = flip() ? 0 : window[0] + (long) (random.nextDouble() * (window[1] - window[0]));
      if (ids.releaseWorker(EVENTS, old.worker(), old.epoch(), last, tx.next()) && last != 0) {
        window[1] = Math.max(last, window[0]);
        released.add(old.worker() + "/" + old.epoch());
      }
    }
  }

  private void rarely() {
    if (random.nextInt(3) == 0) {
      waiting.clear(); // their callers hear nothing
      takeOver();
    }
  }

  private void commit() {
    tx.commit();
    waiting.forEach(Runnable::run);
    waiting.clear();
  }

  private void told(boolean now, Runnable hearing) {
    if (now) {
      hearing.run();
    } else {
      waiting.add(hearing);
    }
  }

  private void checkWindows() {
    for (TreeMap<Long, long[]> ofOne : windows.values()) {
      long end = EPOCH - 1;
      for (long[] window : ofOne.values()) {
        assertTrue(window[0] >= end, "windows meet");
        end = Math.max(end, window[1]);
      }
    }
    for (long id : minted) {
      long time = LAYOUT.timeOf(id);
      TreeMap<Long, long[]> told = windows.getOrDefault(LAYOUT.workerOf(id), new TreeMap<>());
      assertTrue(
          told.values().stream().noneMatch(w -> time > w[0] && time <= w[1]),
          "made by the server in a client's window");
    }
  }

  private boolean flip() {
    return random.nextInt(4) == 0;
  }
}
