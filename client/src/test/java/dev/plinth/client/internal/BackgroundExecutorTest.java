package dev.plinth.client.internal;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.machine.Machine;
import dev.plinth.testkit.Await;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BackgroundExecutorTest {
  private final BackgroundExecutor background = new BackgroundExecutor(Machine.system());

  @Test
  void tasksThatBlock_holdUpNoOther() throws Exception {
    CountDownLatch all = new CountDownLatch(20);
    for (int i = 0; i < 20; i++) {
      background.execute(
          () -> {
            all.countDown();
            waitFor(all);
          });
    }
    assertTrue(all.await(30, TimeUnit.SECONDS));
    background.close();
  }

  @Test
  void closed_letsThreadsEndAtOnce_andStillRunsWhatIsLate() throws Exception {
    Thread idle = threadOfATask();
    background.close();
    Await.until("the thread has ended", () -> !idle.isAlive());
    Thread late = threadOfATask();
    Await.until("the late one's too", () -> !late.isAlive());
  }

  @Test
  void closed_interruptsNoTask() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    background.execute(() -> done.complete(waitFor(go)));
    background.close();
    go.countDown();
    assertTrue(done.get(30, TimeUnit.SECONDS));
  }

  private Thread threadOfATask() throws Exception {
    CompletableFuture<Thread> thread = new CompletableFuture<>();
    background.execute(() -> thread.complete(Thread.currentThread()));
    return thread.get(30, TimeUnit.SECONDS);
  }

  private static boolean waitFor(CountDownLatch latch) {
    try {
      return latch.await(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      return false;
    }
  }
}
