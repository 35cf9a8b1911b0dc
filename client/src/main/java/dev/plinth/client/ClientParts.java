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
record ClientParts(
    String owner,
    ManagedChannel channel,
    BlockingCaller blockingCaller,
    BackgroundCaller backgroundCaller,
    NamespaceSessions namespaceSessions,
    ClientEnvironment clientEnvironment,
    Executor background,
    Duration timeout,
    Context.CancellableContext life,
    TokenWatermarks tokens,
    Map<String, Campaign> candidates) {
  OperationDeadline budget() {
    return budget(timeout);
  }

  OperationDeadline budget(Duration time) {
    return new OperationDeadline(time, clientEnvironment.nanos());
  }
}
