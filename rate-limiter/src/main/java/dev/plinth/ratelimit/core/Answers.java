package dev.plinth.ratelimit.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.ratelimit.core.Outcome.Reused;
import dev.plinth.ratelimit.core.Outcome.Stale;
import dev.plinth.ratelimit.core.Outcome.Undecided;
import dev.plinth.server.failure.Failure;
import dev.plinth.server.failure.Failure.Invalid.Violation;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import java.util.List;

/** Outcomes that are no answer to what was asked, as exceptions. */
final class Answers {
  private Answers() {}

  /** The outcome, unless nothing was done. */
  static Outcome known(Outcome outcome) {
    if (outcome instanceof Stale stale) {
      throw new StalePolicy(stale.version());
    } else if (outcome instanceof Reused) {
      throw new Failure.Invalid(
          ErrorReason.ERROR_REASON_REQUEST_ID_REUSED,
          List.of(
              new Violation(
                  "request_id", "was used before with another request (expected: a new id)")));
    }
    return outcome;
  }

  /** The store is not away, but of this request it said nothing. */
  static StoreUnavailable failure(Undecided undecided) {
    return undecided.mayHaveApplied()
        ? StoreUnavailable.outcomeUnknown("budgets", undecided.why(), null)
        : StoreUnavailable.notApplied("budgets", undecided.why(), null);
  }
}
