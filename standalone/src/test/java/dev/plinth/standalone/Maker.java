package dev.plinth.standalone;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.PlinthClient;
import dev.plinth.client.id.IdsUnavailableException;
import dev.plinth.client.id.SnowflakeIdGenerator;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/**
 * A process that takes the one worker id of a namespace again and again, makes ids with it, and
 * prints from when to when it did. Arguments: server, namespace, ttl in milliseconds, seed.
 */
public final class Maker {
  private static final long BETWEEN_IDS = TimeUnit.MICROSECONDS.toNanos(200);

  private final SnowflakeIdGenerator ids;
  private final long turnEnd;
  private final long maxGap;

  private Maker(SnowflakeIdGenerator ids, long turnEnd, long maxGap) {
    this.ids = ids;
    this.turnEnd = turnEnd;
    this.maxGap = maxGap;
  }

  public static void main(String[] args) throws InterruptedException {
    long ttl = Duration.ofMillis(Long.parseLong(args[2])).toNanos();
    RandomGenerator random =
        RandomGeneratorFactory.of("L64X128MixRandom").create(Long.parseLong(args[3]));
    try (PlinthClient client = PlinthClient.connect(args[0])) {
      System.out.println("ready");
      while (true) {
        long asked = System.nanoTime();
        try (SnowflakeIdGenerator ids = client.ids().snowflake(args[1])) {
          new Maker(ids, asked + random.nextLong(3 * ttl), ttl / 2).make(asked);
        } catch (IdsUnavailableException | CallFailedException e) {
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20)); // another has it
        }
      }
    }
  }

  /**
   * Stretches of ids, each ended by a failure, or by a gap in which the worker id may have gone.
   */
  private void make(long firstAsked) {
    long asked = firstAsked;
    while (System.nanoTime() - turnEnd < 0) {
      try {
        stretch(asked);
      } catch (IdsUnavailableException e) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      }
      asked = System.nanoTime();
    }
  }

  private void stretch(long asked) {
    long first = ids.next();
    long last = first;
    long granted = System.nanoTime();
    long believed = granted;
    try {
      while (believed - turnEnd < 0) {
        LockSupport.parkNanos(BETWEEN_IDS);
        // Read first: a pause before the id is there makes the belief older, not newer.
        long now = System.nanoTime();
        if (now - believed > maxGap) {
          return;
        }
        last = ids.next();
        believed = now;
      }
    } finally {
      System.out.printf("made %d %d %d %d %d%n", first, last, asked, granted, believed);
    }
  }
}
