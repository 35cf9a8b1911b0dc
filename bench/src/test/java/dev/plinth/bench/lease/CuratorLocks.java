package dev.plinth.bench.lease;

import dev.plinth.bench.Load;
import dev.plinth.bench.ZooKeeperProcess;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/** Curator's InterProcessMutex, a path for each caller, all over one ZooKeeper session. */
final class CuratorLocks implements AutoCloseable {
  private static final Duration SESSION = Duration.ofSeconds(30);

  private final CuratorFramework client;
  private final Map<Integer, InterProcessMutex> mutexes = new ConcurrentHashMap<>();

  CuratorLocks(ZooKeeperProcess zooKeeper) throws InterruptedException {
    client = zooKeeper.connect(SESSION);
  }

  /** Takes its lock and gives it back, on the thread that runs it. */
  Load.Operation cycles(int caller) {
    InterProcessMutex mutex =
        mutexes.computeIfAbsent(caller, c -> new InterProcessMutex(client, "/bench/key" + c));
    return () -> {
      if (!mutex.acquire(10, TimeUnit.SECONDS)) {
        throw new IllegalStateException("not granted");
      }
      mutex.release(); // fails if it is not held
      return 1;
    };
  }

  @Override
  public void close() {
    client.close();
  }
}
