package dev.plinth.server;

import dev.plinth.server.call.CallDeclaration;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import java.util.List;
import java.util.Optional;

/** A service as its host sees it: what it answers and what it cannot do without. */
public interface HostedService extends AutoCloseable {
  /** Their handlers run on the network's threads and must not wait for anything. */
  List<BindableService> endpoints();

  /** The endpoints' health is NOT_SERVING while any of these that is essential is in trouble. */
  List<Engine> engines();

  /**
   * What decides on the node that answers the calls of a method, where there are several; empty if
   * the one that they reach does.
   */
  default Optional<CallDeclaration> routing(MethodDescriptor<?, ?> method) {
    return Optional.of(CallDeclaration.of(method));
  }

  /** Called after the last call has ended. */
  @Override
  void close();
}
