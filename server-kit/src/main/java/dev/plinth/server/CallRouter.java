package dev.plinth.server;

import dev.plinth.server.call.CallDeclaration;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/**
 * Takes calls to the node that answers them, for a process that is one of several. There is one for
 * all services of a process.
 */
public interface CallRouter {
  /** For a process whose calls are all answered where they arrive. */
  CallRouter NONE =
      new CallRouter() {
        @Override
        public ServerServiceDefinition route(
            ServerServiceDefinition service,
            Function<MethodDescriptor<?, ?>, Optional<CallDeclaration>> declared) {
          return service;
        }

        @Override
        public void leave(Duration atMost) {}
      };

  /**
   * The service as callers of this node see it.
   *
   * @param declared what decides on the node; empty for a method that is answered where its calls
   *     arrive
   */
  ServerServiceDefinition route(
      ServerServiceDefinition service,
      Function<MethodDescriptor<?, ?>, Optional<CallDeclaration>> declared);

  /**
   * Called once, when the process begins to end: hands on to other nodes what is answered here, and
   * waits for them a while. Calls still come in, and are routed until the process has ended.
   */
  void leave(Duration atMost);
}
