package dev.plinth.client;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * What the parts of a client share.
 *
 * @param patience for a call that waits for nothing but its answer, over all attempts
 */
record Wiring(
    String owner,
    Calls calls,
    Errands errands,
    Sessions sessions,
    Duration patience,
    LongSupplier nanos) {
  Budget budget() {
    return budget(patience);
  }

  Budget budget(Duration time) {
    return new Budget(time, nanos);
  }
}
