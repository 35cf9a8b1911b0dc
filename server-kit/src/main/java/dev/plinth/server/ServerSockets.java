package dev.plinth.server;

import dev.plinth.server.log.LogThrottle;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandler.Sharable;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The threads of a host's port, and how many connections it takes. One more than that is closed as
 * it is accepted, before anything is set up for it: gRPC itself has no such bound.
 */
final class ServerSockets implements AutoCloseable {
  private static final Logger log = System.getLogger("plinth.host");
  private static final int ALL = 0; // netty's default, two for each core

  private final int maxConnections;
  private final AtomicInteger connections = new AtomicInteger();
  private final Counter refused;
  private final LogThrottle lines;
  private final EventLoopGroup acceptor;
  private final EventLoopGroup workers;

  ServerSockets(int maxConnections, MeterRegistry registry, LongSupplier nanos) {
    this.lines = new LogThrottle(nanos);
    this.maxConnections = maxConnections;
    this.acceptor = threads(1, "plinth-accept");
    this.workers = threads(ALL, "plinth-network");
    this.refused =
        Counter.builder("plinth.connections.refused")
            .description("Connections closed at once, since limits.connections were open")
            .register(registry);
    Gauge.builder("plinth.connections", connections, AtomicInteger::get)
        .description("Open connections")
        .register(registry);
  }

  private static EventLoopGroup threads(int count, String name) {
    ThreadFactory factory = new DefaultThreadFactory(name, true); // netty's, with its fast locals
    return new MultiThreadIoEventLoopGroup(
        count,
        factory,
        Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
  }

  NettyServerBuilder listenOn(InetSocketAddress address) {
    return NettyServerBuilder.forAddress(address)
        .bossEventLoopGroup(acceptor)
        .workerEventLoopGroup(workers)
        .channelFactory(this::listening);
  }

  private ServerChannel listening() {
    ServerChannel channel =
        Epoll.isAvailable() ? new EpollServerSocketChannel() : new NioServerSocketChannel();
    channel.pipeline().addLast(new Accepting());
    return channel;
  }

  @Override
  public void close() {
    acceptor.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    workers.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  /** Sees each connection as it is accepted. */
  @Sharable
  private final class Accepting extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
      Channel connection = (Channel) accepted;
      if (connections.incrementAndGet() > maxConnections) {
        connections.decrementAndGet();
        countRefused(); // before the close: who sees that may look at the count
        connection.unsafe().closeForcibly();
      } else {
        connection.closeFuture().addListener(closed -> connections.decrementAndGet());
        context.fireChannelRead(accepted);
      }
    }

    private void countRefused() {
      refused.increment();
      lines
          .next()
          .ifPresent(
              count ->
                  log.log(
                      Level.WARNING,
                      count + " connections refused: limits.connections=" + maxConnections));
    }
  }
}
