package dev.plinth.client;

import io.grpc.Context;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executor;

/**
 * What the parts of a client share.
 *
 * @param background for the client's own work that waits for answers
 * @param patience for a call that waits for nothing but its answer, over all attempts
 * @param life ends with the client, and with it every stream
 * @param tokens the highest that were seen, to notice a store that went back
 * @param candidates who of this client stands where; one can stand once
 */
record Wiring(
    String owner,
    ManagedChannel channel,
    Calls calls,
    Errands errands,
    Sessions sessions,
    Rhythm rhythm,
    Executor background,
    Duration patience,
    Context.CancellableContext life,
    TokenWatermarks tokens,
    Map<String, Campaign> candidates) {
  Budget budget() {
    return budget(patience);
  }

  Budget budget(Duration time) {
    return new Budget(time, rhythm.nanos());
  }
}
