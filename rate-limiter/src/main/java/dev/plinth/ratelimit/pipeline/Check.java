package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.policy.Descriptor;
import dev.plinth.ratelimit.store.BudgetRequest;
import java.util.List;
import java.util.Optional;

/** Something that may be done or not. */
public record Check(
    List<Descriptor> descriptors,
    long cost,
    boolean partial,
    Optional<BudgetRequest.IdempotencyKey> idempotencyKey) {

  /** The same, to have its effect once. */
  Check as(BudgetRequest.IdempotencyKey request) {
    return new Check(descriptors, cost, partial, Optional.of(request));
  }
}
