package dev.plinth.shards.grpc;

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
 * The calls of this node to itself. They take the same routes as the calls of others: each finds
 * the owner of its shard, waits while that moves, and is answered here where that is us.
 */
public final class LoopbackChannel implements AutoCloseable {
  private static final long END_SECONDS = 2;

  private final String name = "plinth-loopback-" + UUID.randomUUID();
  private final ManagedChannel channel;
  private Server server;

  /**
   * @param executor where answers arrive
   */
  public LoopbackChannel(Executor executor) {
    channel =
        InProcessChannelBuilder.forName(name)
            .executor(executor)
            .maxInboundMessageSize(Integer.MAX_VALUE)
            .build();
  }

  /**
   * Takes calls from now on. They may need the channel themselves, so it is there before.
   *
   * @param routed the service as callers of this node see it
   */
  public void serve(BindableService routed) {
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

  public ManagedChannel channel() {
    return channel;
  }

  /** Waits for the end of all calls after {@link #close}. Bounded: the process must end. */
  public void awaitEnd() {
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
