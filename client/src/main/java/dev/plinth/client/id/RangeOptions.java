package dev.plinth.client.id;

import java.time.Duration;

/**
 * How to take ids by ranges. The usual: wait for up to 2 s when none are left, and have the server
 * choose the size.
 */
public record RangeOptions(Duration timeout, long firstRange) {
  private static final RangeOptions DEFAULTS = new RangeOptions(Duration.ofSeconds(2), 0);

  public RangeOptions {
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("timeout: " + timeout + " (expected: not negative)");
    }
    if (firstRange < 0) {
      throw new IllegalArgumentException("firstRange: " + firstRange + " (expected: 0 or more)");
    }
  }

  public static RangeOptions defaults() {
    return DEFAULTS;
  }

  /** How long a caller waits who finds all ids used up and the next range not there yet. */
  public RangeOptions timeout(Duration atMost) {
    return new RangeOptions(atMost, firstRange);
  }

  /**
   * Ids of the first range, within the namespace's bounds; those after it are sized by the rate
   * that the server sees. For a process that is going to need many at once.
   */
  public RangeOptions firstRange(long ids) {
    return new RangeOptions(timeout, ids);
  }
}
