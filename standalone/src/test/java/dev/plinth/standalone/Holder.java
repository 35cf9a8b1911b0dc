package dev.plinth.standalone;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.LeaseState;
import dev.plinth.client.PlinthClient;
import dev.plinth.client.lease.LeaseHandle;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/**
 * A process that takes a key again and again, and prints from when to when it believed to hold it.
 * Arguments: server, key, ttl in milliseconds, seed.
 */
public final class Holder {
  private Holder() {}

  public static void main(String[] args) throws InterruptedException {
    Duration ttl = Duration.ofMillis(Long.parseLong(args[2]));
    RandomGenerator random =
        RandomGeneratorFactory.of("L64X128MixRandom").create(Long.parseLong(args[3]));
    try (PlinthClient client = PlinthClient.builder(args[0]).sessionTtl(ttl).build()) {
      while (true) {
        hold(client, args[1], random.nextLong(ttl.toMillis()));
      }
    }
  }

  private static void hold(PlinthClient client, String key, long millis)
      throws InterruptedException {
    long asked = System.nanoTime();
    Optional<LeaseHandle> got = acquire(client, key);
    if (got.isEmpty()) {
      return;
    }
    try (LeaseHandle lease = got.get()) {
      long granted = System.nanoTime();
      System.out.println("granted " + lease.token());
      long end = granted + TimeUnit.MILLISECONDS.toNanos(millis);
      long believed = granted;
      // The time is read first: a pause before the answer makes the belief older, not newer.
      for (long now = granted; now - end < 0 && isHeld(lease); now = System.nanoTime()) {
        believed = now;
        LockSupport.parkNanos(1_000_000);
      }
      System.out.println("held " + lease.token() + " " + asked + " " + granted + " " + believed);
    }
  }

  private static boolean isHeld(LeaseHandle lease) {
    return lease.state() == LeaseState.SAFE || lease.state() == LeaseState.JEOPARDY;
  }

  private static Optional<LeaseHandle> acquire(PlinthClient client, String key)
      throws InterruptedException {
    try {
      return client.leases().acquire(key, Duration.ofSeconds(1));
    } catch (CallFailedException e) {
      return Optional.empty(); // the server is paused; the client knows itself when it may go on
    }
  }
}
