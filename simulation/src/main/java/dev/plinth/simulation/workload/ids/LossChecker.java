package dev.plinth.simulation.workload.ids;

import java.util.ArrayList;
import java.util.List;

/**
 * Keeps accounts of a counter: every id below its end was given to somebody, was lost with a
 * request that nobody knows the end of, or was set aside by an owner. Each owner loses one block at
 * most, of two seconds' worth by the rate that it saw, and what was returned of ranges meanwhile.
 */
final class LossChecker {
  private static final long LEAST_BLOCK = 64;
  private static final double WINDOW_NANOS = 10e9;
  private static final int BLOCK_SECONDS = 2;

  private record Taken(long asked, long answered, long ids) {}

  private final long returnable;
  private final List<Taken> taken = new ArrayList<>();
  private long accounted;

  /**
   * @param returnable ids that may be out in ranges, and returned, at one time
   */
  LossChecker(long returnable) {
    this.returnable = returnable;
  }

  /** Ids that a request took. Those that nobody knows of may have been taken at any time. */
  void taken(long asked, long answered, long ids) {
    taken.add(new Taken(asked, answered, ids));
    accounted += ids;
  }

  /** They were given back and may be given again. */
  void reclaimed(long ids) {
    accounted -= ids;
  }

  /**
   * @param below the end ids that the server has come to
   * @param owners how many had the counter
   */
  void check(long below, long owners) {
    long block = Math.max(LEAST_BLOCK, (long) Math.ceil(BLOCK_SECONDS * highestRate()));
    long most = block + returnable;
    long lost = below - accounted;
    if (lost > owners * most) {
      throw new AssertionError(
          "%d of %d ids were lost by %d owners (expected: at most %d each)"
              .formatted(lost, below, owners, most));
    }
  }

  /** The highest that any owner can have estimated, whenever requests took effect. */
  private double highestRate() {
    double highest = 0;
    for (Taken now : taken) {
      double rate = 0;
      for (Taken before : taken) {
        if (before.asked <= now.asked) {
          double age = Math.max(0, now.asked - before.answered);
          rate += before.ids / 10.0 * Math.exp(-age / WINDOW_NANOS);
        }
      }
      highest = Math.max(highest, rate);
    }
    return highest;
  }
}
