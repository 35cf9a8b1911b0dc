package dev.plinth.bench.lease;

import java.util.concurrent.CompletableFuture;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's RLock, a key for each caller, without a thread for each caller. */
final class RedissonLocks implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger("org.redisson"); // or its level is forgotten

  private final RedissonClient client;

  RedissonLocks(String redis) {
    LOG.setLevel(Level.WARNING);
    Config config = new Config();
    config.useSingleServer().setAddress(redis);
    client = Redisson.create(config);
  }

  /** Takes a lock and gives it back; to give back what is not held fails. */
  CompletableFuture<?> cycle(int caller) {
    RLock lock = client.getLock("lock" + caller);
    return lock.tryLockAsync(caller)
        .thenCompose(
            taken -> {
              if (!taken) {
                throw new IllegalStateException("held by another");
              }
              return lock.unlockAsync(caller);
            })
        .toCompletableFuture();
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
