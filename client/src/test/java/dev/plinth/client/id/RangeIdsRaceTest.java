package dev.plinth.client.id;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.PlinthClient;
import dev.plinth.testkit.Await;
import io.micrometer.core.instrument.Counter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many threads on the real server, with ranges so small that they meet at every end of one. */
class RangeIdsRaceTest {
  private static final int THREADS = 6;
  private static final int EACH = 4000;
  private static final RangeOptions PATIENT =
      RangeOptions.defaults().timeout(Duration.ofSeconds(30));

  @TempDir Path directory;
  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
  private IdServer server;

  @BeforeEach
  void start() {
    server = new IdServer(directory, InstantSource.system());
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
    server.close();
  }

  @Test
  void I1_I2_I6_threadsOfOneHandle() throws Exception {
    server.put("orders", IdServer.dense(1, 40));
    try (PlinthClient client = PlinthClient.connect(server.target())) {
      RangeIdGenerator ids = client.ids().range("orders", PATIENT);
      List<Future<long[]>> all = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        boolean bulk = i % 2 == 1;
        all.add(threads.submit(() -> rising(ids, bulk)));
      }
      assertEquals(THREADS * EACH, distinct(all));
      assertEquals(THREADS * EACH, ids.issued());
      ids.close();
      assertSettled(THREADS * EACH);
    }
  }

  @Test
  void I1_I6_handlesThatOpenAndClose_besideEachOther() throws Exception {
    server.put("orders", IdServer.dense(1, 100));
    try (PlinthClient client = PlinthClient.connect(server.target())) {
      List<Future<long[]>> all = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        all.add(threads.submit(reopening(client)));
      }
      long taken = 20L * 50 * THREADS;
      assertEquals(taken, distinct(all));
      assertSettled(taken);
    }
  }

  /** Whatever a caller got before it heard of the close is used, and all the rest goes back. */
  @Test
  void I1_I6_closeBesideCallers() throws Exception {
    server.put("orders", IdServer.dense(1, 60));
    try (PlinthClient client = PlinthClient.connect(server.target())) {
      Set<Long> all = ConcurrentHashMap.newKeySet();
      AtomicLong taken = new AtomicLong();
      for (int round = 0; round < 40; round++) {
        RangeIdGenerator ids = client.ids().range("orders", PATIENT);
        List<Future<?>> takers = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
          takers.add(threads.submit(() -> takeUntilClosed(ids, all, taken)));
        }
        long enough = taken.get() + 20 * round;
        Await.until("some ids", () -> taken.get() >= enough);
        ids.close();
        for (Future<?> taker : takers) {
          taker.get();
        }
      }
      assertEquals(taken.get(), all.size());
      assertSettled(taken.get());
    }
  }

  private static void takeUntilClosed(RangeIdGenerator ids, Set<Long> all, AtomicLong taken) {
    try {
      while (true) {
        assertTrue(all.add(ids.next()));
        taken.incrementAndGet();
      }
    } catch (IllegalStateException closed) {
      // The end.
    }
  }

  private Callable<long[]> reopening(PlinthClient client) {
    return () -> {
      long[] taken = new long[20 * 50];
      for (int i = 0; i < taken.length; ) {
        try (RangeIdGenerator ids = client.ids().range("orders", PATIENT)) {
          for (int end = i + 50; i < end; i++) {
            taken[i] = ids.next();
          }
        }
      }
      return taken;
    };
  }

  private static long[] rising(RangeIdGenerator ids, boolean bulk) {
    long[] taken = new long[EACH];
    for (int i = 0; i < EACH; ) {
      long[] some = new long[bulk ? Math.min(1 + i % 17, EACH - i) : 1];
      if (bulk) {
        ids.next(some);
      } else {
        some[0] = ids.next();
      }
      System.arraycopy(some, 0, taken, i, some.length);
      i += some.length;
    }
    for (int i = 1; i < EACH; i++) {
      assertTrue(taken[i] > taken[i - 1], "one thread's ids rise");
    }
    return taken;
  }

  private static long distinct(List<Future<long[]>> all) throws Exception {
    LongStream ids = LongStream.empty();
    for (Future<long[]> one : all) {
      ids = LongStream.concat(ids, Arrays.stream(one.get()));
    }
    return ids.distinct().count();
  }

  /** Every range was given back, so that the server knows the exact number of ids. */
  private void assertSettled(long handedOut) {
    Await.until(
        "all ranges are settled",
        () -> ended() == server.meters().get("plinth.id.ranges.leased").counter().count());
    assertEquals(handedOut, server.get("orders").getLedger().getIssued());
  }

  private double ended() {
    return server.meters().get("plinth.id.ranges.ended").counters().stream()
        .mapToDouble(Counter::count)
        .sum();
  }
}
