package dev.plinth.bench.failover;

import dev.plinth.bench.ZooKeeperProcess;
import dev.plinth.testkit.JavaProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/** A lock of ZooKeeper whose holder is killed: it is free when the holder's session has expired. */
final class ZooKeeperSession implements AutoCloseable {
  private final Path directory;
  private final Duration session;
  private final ZooKeeperProcess server;
  private final CuratorFramework client;

  ZooKeeperSession(Path directory, Duration session) throws Exception {
    this.directory = directory;
    this.session = session;
    server = new ZooKeeperProcess(directory.resolve("zookeeper"));
    client = server.connect(session);
  }

  /** How long another client waited for the lock. */
  double killHolder() throws Exception {
    try (JavaProcess holder =
        JavaProcess.start(
            directory, LockHolder.class, server.address(), String.valueOf(session.toMillis()))) {
      holder.awaitLine(LockHolder.HELD);
      CompletableFuture<Long> taken = new CompletableFuture<>();
      Thread waiter = new Thread(() -> take(taken), "waiter");
      waiter.setDaemon(true);
      waiter.start();
      TimeUnit.SECONDS.sleep(1); // it is in the queue by then
      if (taken.isDone()) {
        throw new IllegalStateException("two hold the lock");
      }
      long killed = System.nanoTime();
      holder.kill();
      return (taken.get(2, TimeUnit.MINUTES) - killed) / 1e6;
    }
  }

  private void take(CompletableFuture<Long> taken) {
    try {
      InterProcessMutex mutex = new InterProcessMutex(client, LockHolder.PATH);
      mutex.acquire();
      taken.complete(System.nanoTime());
      mutex.release();
    } catch (Exception e) {
      taken.completeExceptionally(e);
    }
  }

  @Override
  public void close() {
    client.close();
    server.close();
  }
}
