package dev.plinth.simulation.workload.limits;

import java.util.SplittableRandom;

/** How requests to Redis fare at the moment. */
final class RedisWeather {
  private static final long QUICK_NANOS = 1_000_000;

  private long mostNanos = QUICK_NANOS;
  private double lost;
  private boolean down;

  /** Each way takes up to so long. */
  void slow(long nanos) {
    mostNanos = nanos;
  }

  /** This share of requests, and as many answers. */
  void lose(double share) {
    lost = share;
  }

  void down() {
    down = true;
  }

  void clear() {
    mostNanos = QUICK_NANOS;
    lost = 0;
    down = false;
  }

  boolean isDown() {
    return down;
  }

  boolean loses(SplittableRandom random) {
    return random.nextDouble() < lost;
  }

  long delayNanos(SplittableRandom random) {
    return random.nextLong(1, mostNanos);
  }
}
