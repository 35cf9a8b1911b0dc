package dev.plinth.shards;

import dev.plinth.machine.Machine;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes answers that would keep a shard from its work; with many waiting it refuses more. */
final class AnswerExecutor implements Executor, AutoCloseable {
  private static final int THREADS = 2;
  private static final int MAX_WAITING = 1000;

  private final ExecutorService threads;
  private final AtomicInteger waiting = new AtomicInteger();

  AnswerExecutor(Machine machine) {
    threads = machine.workers("plinth-answers", THREADS);
  }

  /** Throws the failure that its caller is answered with, if too many wait. */
  @Override
  public void execute(Runnable task) {
    if (waiting.incrementAndGet() > MAX_WAITING) {
      waiting.decrementAndGet();
      throw ShardFailures.answersWaiting();
    }
    threads.execute(
        () -> {
          waiting.decrementAndGet();
          task.run();
        });
  }

  @Override
  public void close() {
    threads.shutdown();
  }
}
