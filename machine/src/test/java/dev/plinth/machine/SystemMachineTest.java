package dev.plinth.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

class SystemMachineTest {
  private final Machine machine = Machine.system();

  @Test
  void workersWithoutABound_areAsManyAsThereAreTasks() throws Exception {
    ExecutorService workers = machine.workers("test");
    CountDownLatch all = new CountDownLatch(50);
    for (int i = 0; i < 50; i++) {
      workers.submit(
          () -> {
            all.countDown();
            return all.await(30, TimeUnit.SECONDS);
          });
    }
    assertTrue(all.await(30, TimeUnit.SECONDS));
    workers.shutdown();
    assertTrue(workers.awaitTermination(30, TimeUnit.SECONDS));
  }

  @Test
  void await_endsWithTheResult_theTime_orAnInterrupt() throws Exception {
    CompletableFuture<String> result = new CompletableFuture<>();
    assertThrows(TimeoutException.class, () -> machine.await(result, Duration.ZERO));
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> machine.await(result));
    result.complete("here");
    assertEquals("here", machine.await(result));
    assertEquals("here", machine.await(result, Duration.ZERO));
  }

  @Test
  void loopWhoseBodyFails_goesOn_afterAMoment() throws Exception {
    BlockingQueue<Long> runs = new LinkedBlockingQueue<>();
    Logger log = Logger.getLogger("plinth.machine");
    log.setLevel(Level.OFF); // it says so each time
    Loop loop =
        machine.loop(
            "failing",
            () -> {
              runs.add(System.nanoTime());
              throw new StackOverflowError();
            });
    try (loop) {
      loop.start();
      long first = runs.poll(30, TimeUnit.SECONDS);
      assertNotNull(runs.poll(30, TimeUnit.SECONDS));
      long third = runs.poll(30, TimeUnit.SECONDS);
      assertTrue(third - first > 100_000_000, () -> third - first + " ns");
    } finally {
      log.setLevel(null);
    }
  }

  @Test
  void timeOfDay_isTheSameInMillis() {
    long before = machine.wall().instant().toEpochMilli();
    long between = machine.wall().millis();
    long after = machine.wall().instant().toEpochMilli();
    assertTrue(before <= between && between <= after, before + " " + between + " " + after);
  }
}
