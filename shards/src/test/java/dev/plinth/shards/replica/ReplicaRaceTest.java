package dev.plinth.shards.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.machine.Machine;
import dev.plinth.machine.Threads;
import dev.plinth.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** More keys than there is room for, from several threads. */
class ReplicaRaceTest {
  private static final int THREADS = 4;
  private static final int MAX_KEYS = 20;
  private static final int KEYS = 5 * MAX_KEYS;
  private static final int CALLS = 5_000;
  private static final Duration LONG = Duration.ofMinutes(1);

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(Threads.daemons("replica"));
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicReference<Throwable> failed = new AtomicReference<>();

  /** Owners that have version 1 of every key. */
  private final Replica<Text> replica =
      new Replica<>(
          new ReplicaOptions(MAX_KEYS, LONG, LONG, LONG),
          (key, resumeToken, listener) -> {
            open.incrementAndGet();
            thread.execute(
                () -> listener.onChange(before -> Optional.of(new Text(List.of(1L))), "t"));
            return open::decrementAndGet;
          },
          Text::version,
          Machine.system(),
          thread);

  @AfterEach
  void stop() {
    thread.shutdown();
  }

  private void use(long seed) {
    try {
      SplittableRandom random = new SplittableRandom(seed);
      for (int i = 0; i < CALLS; i++) {
        String key = "k" + random.nextInt(KEYS);
        if (!replica.get(key).isAtLeast(1)) {
          replica.await(key, 1).handle(ReplicaRaceTest::answered).join();
        }
        assertTrue(replica.size() <= MAX_KEYS + THREADS + 1, "one for each that adds");
      }
    } catch (Throwable e) {
      failed.set(e);
    }
  }

  /** With a copy, or by its end: a key that others push out tells its waiters. */
  private static boolean answered(ReplicaCopy<Text> copy, Throwable thrown) {
    if (thrown == null) {
      assertEquals(1, copy.version());
    } else {
      Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
      assertInstanceOf(ReplicaBehindException.class, cause);
    }
    return true;
  }

  @Test
  void everyWaitEnds_andNoWatchIsLeftOpen() throws Exception {
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      long seed = i;
      callers.add(new Thread(() -> use(seed)));
    }
    callers.forEach(Thread::start);
    for (Thread caller : callers) {
      caller.join();
    }
    if (failed.get() != null) {
      throw new AssertionError(failed.get());
    }
    Await.until("only watches of known keys are open", () -> open.get() == replica.size());
    replica.close();
    Await.until("none is", () -> open.get() == 0);
    assertEquals(0, replica.size());
  }
}
