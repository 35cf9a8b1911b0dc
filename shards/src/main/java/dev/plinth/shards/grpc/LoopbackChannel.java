package dev.plinth.shards.grpc;

import dev.plinth.machine.Machine;
import dev.plinth.server.call.StatusMappingInterceptor;
import io.grpc.BindableService;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The calls of this node to itself. They take the same routes as the calls of others: each finds
 * the owner of its shard, waits while that moves, and is answered here where that is us.
 */
public final class LoopbackChannel implements AutoCloseable {
  private static final long END_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final Duration END_CHECK = Duration.ofMillis(2);
  private static final AtomicLong NAMES = new AtomicLong();

  private final String name = "plinth-loopback-" + NAMES.incrementAndGet();
  private final ScheduledExecutorService thread;
  private final Machine machine;
  private final ManagedChannel channel;
  private Server server;

  /**
   * @param thread where answers arrive, and deadlines end calls
   */
  public LoopbackChannel(ScheduledExecutorService thread, Machine machine) {
    this.thread = thread;
    this.machine = machine;
    channel =
        InProcessChannelBuilder.forName(name)
            .executor(thread)
            .scheduledExecutorService(thread)
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
              .scheduledExecutorService(thread)
              .deadlineTicker(machine.ticker())
              .addService(
                  ServerInterceptors.intercept(
                      routed, new StatusMappingInterceptor(machine.random())))
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
    long from = machine.nanos().getAsLong();
    try {
      while (!channel.isTerminated() && machine.nanos().getAsLong() - from < END_NANOS) {
        machine.pause(END_CHECK);
      }
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
