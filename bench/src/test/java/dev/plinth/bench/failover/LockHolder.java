package dev.plinth.bench.failover;

import dev.plinth.bench.ZooKeeperProcess;
import java.time.Duration;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/** A process that holds a lock of ZooKeeper until it is killed. */
final class LockHolder {
  static final String PATH = "/failover/lock";
  static final String HELD = "the lock is held";

  private LockHolder() {}

  /** ZooKeeper's address and the session's length in milliseconds. */
  public static void main(String[] args) throws Exception {
    Duration session = Duration.ofMillis(Long.parseLong(args[1]));
    CuratorFramework client = ZooKeeperProcess.connect(args[0], session);
    new InterProcessMutex(client, PATH).acquire();
    System.out.println(HELD);
    Thread.currentThread().join(); // for ever
  }
}
