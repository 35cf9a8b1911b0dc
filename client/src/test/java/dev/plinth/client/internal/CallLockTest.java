package dev.plinth.client.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.plinth.machine.ForwardingMachine;
import dev.plinth.machine.Machine;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CallLockTest {
  private int waits;

  /** As a simulation would: whoever waits has other work run instead. */
  private final class WaitingMachine extends ForwardingMachine {
    private final Runnable meanwhile;

    WaitingMachine(Runnable meanwhile) {
      super(Machine.system());
      this.meanwhile = meanwhile;
    }

    @Override
    public <T> T await(CompletableFuture<T> result)
        throws InterruptedException, ExecutionException {
      waits++;
      meanwhile.run();
      return super.await(result);
    }
  }

  @Test
  void freeLock_isHadWithoutAWait() throws Exception {
    CallLock lock = new CallLock(new WaitingMachine(() -> {}));
    lock.lock();
    lock.unlock();
    lock.lock();
    assertEquals(0, waits);
  }

  @Test
  void lockOfAnother_isWaitedForByTheMachine() throws Exception {
    CallLock[] lock = new CallLock[1];
    lock[0] = new CallLock(new WaitingMachine(() -> lock[0].unlock()));
    lock[0].lock();
    lock[0].lock();
    assertEquals(1, waits);
  }

  @Test
  void interruptedWaiter_leaves_andTheLockStaysItsHolders() throws Exception {
    CallLock lock = new CallLock(Machine.system());
    lock.lock();
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, lock::lock);
    lock.unlock();
    lock.lock();
  }

  @Test
  void manyThreads_haveItOneAtATime() throws Exception {
    CallLock lock = new CallLock(Machine.system());
    int[] count = new int[1];
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      Future<?>[] all = new Future<?>[4];
      for (int i = 0; i < all.length; i++) {
        all[i] = threads.submit(() -> addSome(lock, count));
      }
      for (Future<?> each : all) {
        each.get(30, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
    assertEquals(4 * 2_000, count[0]);
  }

  private static Void addSome(CallLock lock, int[] count) throws InterruptedException {
    for (int i = 0; i < 2_000; i++) {
      lock.lock();
      try {
        count[0]++;
      } finally {
        lock.unlock();
      }
    }
    return null;
  }
}
