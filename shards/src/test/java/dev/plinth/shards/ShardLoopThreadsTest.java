package dev.plinth.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.machine.Machine;
import dev.plinth.testkit.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which thread does the work of a loop that runs. Left alone, its own thread sleeps an hour. */
class ShardLoopThreadsTest {
  private static final TextApp TEXTS = new TextApp();

  private final ShardLoop loop = new ShardLoop("test", Machine.system(), TimeUnit.HOURS.toNanos(1));
  private final HeldStore store = new HeldStore();
  private final Shard shard = HeldShard.taken(Machine.system(), store, loop, TEXTS);
  private final ShardQueueLimit queue = new ShardQueueLimit(1_000_000);

  @BeforeEach
  void start() {
    loop.start();
  }

  @AfterEach
  void close() {
    loop.close();
  }

  @Test
  void work_isDoneByTheThreadThatBringsIt() {
    // The loop's own thread may be at it in the beginning.
    Await.until(
        "the caller's thread does its work",
        () -> {
          CompletableFuture<Thread> ranOn = new CompletableFuture<>();
          submit(CommandPriority.NORMAL, () -> ranOn.complete(Thread.currentThread()));
          return ranOn.isDone() && ranOn.join() == Thread.currentThread();
        });
  }

  @Test
  void workThatComesMeanwhile_isLeftToTheThreadThatIsAtIt() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    CompletableFuture<Thread> first = new CompletableFuture<>();
    CompletableFuture.runAsync(
        () ->
            submit(
                CommandPriority.NORMAL,
                () -> {
                  first.complete(Thread.currentThread());
                  begun.countDown();
                  await(end);
                }));
    begun.await();
    CompletableFuture<Thread> second = new CompletableFuture<>();
    submit(CommandPriority.NORMAL, () -> second.complete(Thread.currentThread()));
    assertFalse(second.isDone(), "nobody waits, and nobody runs beside it");
    end.countDown();
    assertEquals(first.get(), second.get(10, TimeUnit.SECONDS));
  }

  @Test
  void workOfManyThreads_isDoneOneAtATime_andNoneIsLost() throws Exception {
    int threads = 4;
    int each = 20_000;
    int[] count = new int[1]; // without a lock: only one thread at a time may touch it
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger together = new AtomicInteger();
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      CommandPriority commandPriority =
          i % 2 == 0 ? CommandPriority.NORMAL : CommandPriority.URGENT;
      Thread thread =
          new Thread(
              () -> {
                for (int n = 0; n < each; n++) {
                  submit(
                      commandPriority,
                      () -> {
                        if (inside.incrementAndGet() != 1) {
                          together.incrementAndGet();
                        }
                        count[0]++;
                        inside.decrementAndGet();
                      });
                }
              });
      all.add(thread);
      thread.start();
    }
    for (Thread thread : all) {
      thread.join();
    }
    CompletableFuture<Integer> sum = new CompletableFuture<>();
    Await.until(
        "all are done",
        () -> {
          loop.execute(() -> sum.obtrudeValue(count[0]));
          return sum.isDone() && sum.join() == threads * each;
        });
    assertEquals(0, together.get());
  }

  @Test
  void timerSetByACaller_wakesTheThreadThatSleeps() {
    loop.execute(() -> loop.add(shard));
    CompletableFuture<Thread> fired = new CompletableFuture<>();
    submit(
        CommandPriority.NORMAL,
        () ->
            shard.run(
                TEXTS,
                (state, tx, reply) ->
                    tx.at(
                        tx.nanos() + TimeUnit.MILLISECONDS.toNanos(20),
                        later -> fired.complete(Thread.currentThread())),
                new PendingReply<String>()));
    Await.until("the timer fired", fired::isDone);
    assertTrue(fired.join().getName().startsWith("test"), "timers are the loop's own thread's");
  }

  @Test
  void slowWork_isDoneByTheLoopsOwnThread() {
    CompletableFuture<Thread> ranOn = new CompletableFuture<>();
    queue.enter(CommandPriority.NORMAL);
    loop.submitSlow(new ShardTask(shard, queue, to -> ranOn.complete(Thread.currentThread())));
    Await.until("it is done", ranOn::isDone);
    assertTrue(ranOn.join().getName().startsWith("test"));
  }

  @Test
  void slowWorkThatWasHeldBack_isDoneByTheLoopsOwnThreadToo() {
    store.maxWrites = 1;
    loop.execute(() -> loop.add(shard));
    for (int i = 0; i < 6; i++) {
      put("k" + i);
    }
    Await.until("commits are in flight", () -> store.underWay() == 3);
    CompletableFuture<Thread> ranOn = new CompletableFuture<>();
    queue.enter(CommandPriority.NORMAL);
    loop.submitSlow(new ShardTask(shard, queue, to -> ranOn.complete(Thread.currentThread())));
    Await.until(
        "it is done",
        () -> {
          store.finishAll(); // as the store's thread
          return ranOn.isDone();
        });
    assertTrue(ranOn.join().getName().startsWith("test"), ranOn.join().getName());
  }

  @Test
  void fewAnswers_leaveOnTheStoresThread_manyOnTheLoopsOwn() {
    loop.execute(() -> loop.add(shard));
    CompletableFuture<Thread> lone = put("first");
    Await.until("it is in flight", () -> store.underWay() == 1);
    List<CompletableFuture<Thread>> many = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      many.add(put("k" + i));
    }
    store.finishAll();
    Await.until(
        "all are answered",
        () -> {
          store.finishAll();
          return many.stream().allMatch(CompletableFuture::isDone);
        });
    // The loop's own thread may have been at work in that moment.
    assertTrue(List.of(Thread.currentThread(), loopThread(many)).contains(lone.join()));
    assertTrue(loopThread(many).getName().startsWith("test"), loopThread(many).getName());
  }

  private static Thread loopThread(List<CompletableFuture<Thread>> answers) {
    return answers.get(answers.size() - 1).join();
  }

  /** Completes with the thread on which the answer leaves. */
  private CompletableFuture<Thread> put(String key) {
    PendingReply<String> reply = new PendingReply<>();
    submit(CommandPriority.NORMAL, () -> shard.run(TEXTS, TextApp.put(key, "x"), reply));
    return reply.future().thenApply(done -> Thread.currentThread());
  }

  private void submit(CommandPriority commandPriority, Runnable work) {
    queue.enter(commandPriority);
    loop.submit(commandPriority, new ShardTask(shard, queue, to -> work.run()));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
