package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.policy.Descriptor;
import dev.plinth.ratelimit.store.BudgetRequest.IdempotencyKey;
import java.util.List;
import java.util.Optional;

/**
 * Budget that is reserved now and may be used after a delay.
 *
 * @param id to settle it by; empty after a denial
 * @param delay microseconds until it may be used
 */
public record ReserveResult(String id, long delay, Decision decision) {
  /**
   * @param maxWait microseconds
   * @param ttl how long it can be settled, in microseconds from the end of the wait
   */
  public record ReserveSpec(
      List<Descriptor> descriptors,
      long cost,
      long maxWait,
      long ttl,
      Optional<IdempotencyKey> idempotencyKey) {}

  /**
   * @param found false if it was settled before, or it is too late: it stays as it is
   * @param refunded returned to the budgets; negative if more was charged
   */
  public record Settlement(boolean found, long refunded) {}
}
