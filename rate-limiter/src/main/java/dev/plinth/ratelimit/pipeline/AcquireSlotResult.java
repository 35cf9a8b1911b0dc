package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.pipeline.Decision.LimitStatus;
import dev.plinth.ratelimit.policy.Descriptor;
import dev.plinth.ratelimit.store.BudgetRequest.IdempotencyKey;
import java.util.List;
import java.util.Optional;

/**
 * A slot in every concurrency rule that matches, or in none.
 *
 * @param slot empty if all slots are held
 * @param token rises with each slot granted in the domain; 0 if none was granted, or not by the
 *     store
 * @param validFor microseconds, counted from before it was requested
 * @param retry microseconds until the first slot expires, if all are held
 */
public record AcquireSlotResult(
    String slot,
    long token,
    long validFor,
    long retry,
    List<LimitStatus> limits,
    long policyVersion,
    DecidedBy decidedBy) {

  public boolean acquired() {
    return !slot.isEmpty();
  }

  /**
   * @param ttl microseconds
   */
  public record AcquireSlotSpec(
      List<Descriptor> descriptors, long ttl, Optional<IdempotencyKey> idempotencyKey) {}
}
