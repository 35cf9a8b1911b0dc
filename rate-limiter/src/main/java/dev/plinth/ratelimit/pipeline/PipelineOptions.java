package dev.plinth.ratelimit.pipeline;

import java.time.Duration;

/**
 * Timeouts, queues, batches and circuit breaker of the decision pipeline.
 *
 * @param storeBudget how long a decision waits for the store before the rules' fail modes decide
 * @param queues flushes that may be in flight at once; budgets are spread over them
 * @param batch the most requests in one flush
 * @param breakAfter flushes in a row that failed or were late, until the circuit opens
 * @param backoff until the store is probed; doubled each time the probe fails
 * @param maxBackoff the longest backoff
 * @param denyFor how long at most a denial is repeated from memory; 0 for never: what other nodes
 *     reset or return is seen after that
 */
public record PipelineOptions(
    Duration storeBudget,
    int queues,
    int batch,
    int breakAfter,
    Duration backoff,
    Duration maxBackoff,
    Duration denyFor) {

  public static final PipelineOptions DEFAULTS =
      new PipelineOptions(
          Duration.ofMillis(20),
          8,
          512,
          5,
          Duration.ofMillis(100),
          Duration.ofSeconds(5),
          Duration.ofSeconds(1));

  public PipelineOptions {
    positive("storeBudget", storeBudget);
    positive("backoff", backoff);
    positive("maxBackoff", maxBackoff);
    if (denyFor.isNegative()) {
      throw new IllegalArgumentException("denyFor: " + denyFor + " (expected: 0 or more)");
    }
    if (queues < 1 || batch < 1 || breakAfter < 1) {
      throw new IllegalArgumentException(
          "queues, batch, breakAfter: %d, %d, %d (expected: 1 or more)"
              .formatted(queues, batch, breakAfter));
    }
  }

  private static void positive(String name, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new IllegalArgumentException(name + ": " + value + " (expected: more than 0)");
    }
  }

  public PipelineOptions withStoreBudget(Duration budget) {
    return new PipelineOptions(budget, queues, batch, breakAfter, backoff, maxBackoff, denyFor);
  }

  public PipelineOptions withQueues(int many) {
    return new PipelineOptions(storeBudget, many, batch, breakAfter, backoff, maxBackoff, denyFor);
  }
}
