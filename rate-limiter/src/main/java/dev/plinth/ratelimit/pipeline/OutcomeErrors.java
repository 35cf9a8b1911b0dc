package dev.plinth.ratelimit.pipeline;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.ratelimit.store.Outcome.Reused;
import dev.plinth.ratelimit.store.Outcome.Stale;
import dev.plinth.ratelimit.store.Outcome.Undecided;
import dev.plinth.server.failure.Failure;
import dev.plinth.server.failure.Failure.Invalid.Violation;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import java.util.List;

/** Outcomes that do not answer the request, as exceptions. */
final class OutcomeErrors {
  private OutcomeErrors() {}

  /** The outcome, unless nothing was done. */
  static Outcome known(Outcome outcome) {
    if (outcome instanceof Stale stale) {
      throw new StalePolicyException(stale.version());
    } else if (outcome instanceof Reused) {
      throw new Failure.Invalid(
          ErrorReason.ERROR_REASON_REQUEST_ID_REUSED,
          List.of(
              new Violation(
                  "request_id", "was used before with another request (expected: a new id)")));
    }
    return outcome;
  }

  /** The store is available, but did not decide this request. */
  static StoreUnavailable failure(Undecided undecided) {
    return undecided.mayHaveApplied()
        ? StoreUnavailable.outcomeUnknown("budgets", undecided.why(), null)
        : StoreUnavailable.notApplied("budgets", undecided.why(), null);
  }
}
