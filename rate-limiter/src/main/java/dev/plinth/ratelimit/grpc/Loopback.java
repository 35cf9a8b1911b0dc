package dev.plinth.ratelimit.grpc;

import dev.plinth.server.call.StatusMappingInterceptor;
import io.grpc.BindableService;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * A way for this node to call itself as others call it: a call finds the owner of its domain by the
 * same routes, waits where that moves, and is answered here where that is us.
 */
final class Loopback implements AutoCloseable {
  private static final long END_SECONDS = 2;

  private final String name = "plinth-ratelimit-" + UUID.randomUUID();
  private final ManagedChannel channel;
  private Server server;

  /**
   * @param executor where answers arrive
   */
  Loopback(Executor executor) {
    channel =
        InProcessChannelBuilder.forName(name)
            .executor(executor)
            .maxInboundMessageSize(Integer.MAX_VALUE)
            .build();
  }

  void serve(BindableService routed) {
    try {
      server =
          InProcessServerBuilder.forName(name)
              .directExecutor()
              .addService(ServerInterceptors.intercept(routed, new StatusMappingInterceptor()))
              .build()
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  ManagedChannel channel() {
    return channel;
  }

  /** Bounded: the process must end. */
  void awaitEnd() {
    try {
      channel.awaitTermination(END_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    channel.shutdownNow();
    if (server != null) {
      server.shutdownNow();
    }
  }
}
