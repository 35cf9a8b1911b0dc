package dev.plinth.ratelimit.core;

import java.time.Duration;

/**
 * How a node goes about deciding.
 *
 * @param storeBudget how long a decision waits for the store before the rules' fail modes decide
 * @param lanes flushes that may be under way at once; budgets are spread over them
 * @param batch the most requests in one flush
 * @param breakAfter flushes in a row that failed or were late, until the store is left alone
 * @param backoff until the store is tried again; doubled each time it does not answer
 * @param maxBackoff the most that comes to
 * @param denyFor how long the store is not asked again at the most; 0 to ask always: what other
 *     nodes reset or give back is seen after that
 */
public record Tuning(
    Duration storeBudget,
    int lanes,
    int batch,
    int breakAfter,
    Duration backoff,
    Duration maxBackoff,
    Duration denyFor) {

  public static final Tuning DEFAULT =
      new Tuning(
          Duration.ofMillis(20),
          8,
          512,
          5,
          Duration.ofMillis(100),
          Duration.ofSeconds(5),
          Duration.ofSeconds(1));

  public Tuning {
    positive("storeBudget", storeBudget);
    positive("backoff", backoff);
    positive("maxBackoff", maxBackoff);
    if (denyFor.isNegative()) {
      throw new IllegalArgumentException("denyFor: " + denyFor + " (expected: 0 or more)");
    }
    if (lanes < 1 || batch < 1 || breakAfter < 1) {
      throw new IllegalArgumentException(
          "lanes, batch, breakAfter: %d, %d, %d (expected: 1 or more)"
              .formatted(lanes, batch, breakAfter));
    }
  }

  private static void positive(String name, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new IllegalArgumentException(name + ": " + value + " (expected: more than 0)");
    }
  }

  public Tuning withStoreBudget(Duration budget) {
    return new Tuning(budget, lanes, batch, breakAfter, backoff, maxBackoff, denyFor);
  }

  public Tuning withLanes(int many) {
    return new Tuning(storeBudget, many, batch, breakAfter, backoff, maxBackoff, denyFor);
  }

  public Tuning withDenyFor(Duration longest) {
    return new Tuning(storeBudget, lanes, batch, breakAfter, backoff, maxBackoff, longest);
  }
}
