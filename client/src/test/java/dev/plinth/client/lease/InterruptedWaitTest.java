package dev.plinth.client.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.LeaseServer;
import dev.plinth.client.PlinthClient;
import dev.plinth.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Waits whose callers are interrupted, against the real service. */
class InterruptedWaitTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir Path directory;
  private LeaseServer server;
  private PlinthClient ann;
  private PlinthClient bob;

  @BeforeEach
  void start() {
    server = new LeaseServer(directory);
    ann = PlinthClient.builder(server.target()).owner("ann").build();
    bob = PlinthClient.builder(server.target()).owner("bob").build();
  }

  @AfterEach
  void stop() {
    ann.close();
    bob.close();
    server.close();
  }

  @Test
  void interruptedWait_leavesTheLine_andIsNeverGranted() throws Exception {
    LeaseHandle first = ann.leases().tryAcquire("printer").orElseThrow();
    interrupt(() -> bob.leases().acquire("printer", LONG), "printer");
    passTime();
    Await.until("bob has left the line", () -> server.lease("printer").getWaiters() == 0);
    first.close();
    assertEquals(List.of(first.token()), server.grants("printer"));
  }

  @Test
  void interruptedWaitForASet_leavesAllLines() throws Exception {
    ann.leases().tryAcquire("printer").orElseThrow();
    List<LeaseSpec> wants = List.of(LeaseSpec.exclusive("printer"), LeaseSpec.exclusive("paper"));
    interrupt(() -> bob.leases().acquireSet(wants, LONG), "paper");
    passTime();
    Await.until(
        "bob has left the lines",
        () -> server.lease("printer").getWaiters() + server.lease("paper").getWaiters() == 0);
    assertEquals(List.of(), server.grants("paper"));
  }

  /** For the client to do behind its caller's back whatever it does. */
  private void passTime() throws InterruptedException {
    for (int i = 0; i < 50; i++) {
      bob.leases().tryAcquire("other").orElseThrow().close();
    }
  }

  private void interrupt(Callable<?> wait, String key) throws Exception {
    CountDownLatch interrupted = new CountDownLatch(1);
    Thread waiter =
        new Thread(
            () -> {
              try {
                wait.call();
              } catch (InterruptedException e) {
                interrupted.countDown();
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });
    waiter.start();
    Await.until("it is in line", () -> server.lease(key).getWaiters() == 1);
    waiter.interrupt();
    assertTrue(interrupted.await(10, TimeUnit.SECONDS));
  }
}
