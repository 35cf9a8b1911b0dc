package dev.plinth.server;

import io.grpc.BindableService;
import java.util.List;

/** A service as its host sees it: what it answers and what it cannot do without. */
public interface HostedService extends AutoCloseable {
  /** Their handlers run on the network's threads and must not wait for anything. */
  List<BindableService> endpoints();

  /** The endpoints' health is NOT_SERVING while any of these that is essential is in trouble. */
  List<Engine> engines();

  /**
   * Called when the process begins to end, while calls still come in: time to hand on what others
   * can do from now on. Bounded.
   */
  default void handOff() {}

  /** Called after the last call has ended. */
  @Override
  void close();
}
