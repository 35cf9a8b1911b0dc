package dev.plinth.ratelimit.store.redis;

import dev.plinth.machine.Machine;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.handler.flush.FlushConsolidationHandler;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Lettuce, set up as this store needs it, and the threads of all connections. */
final class RedisDriver implements AutoCloseable {
  /** For connecting and HELLO; later commands have the store's own time-out. */
  static final Duration HELLO = Duration.ofSeconds(1);

  /** Of one connection; more are not sent but refused at once. */
  private static final int IN_FLIGHT = 4096;

  private static final int FLUSH_AFTER = 64;

  private final Machine machine;
  private final ScheduledExecutorService scheduler;
  private final ClientResources resources;
  private final RedisClient client;

  /**
   * @param ca the authority that signed Redis's certificate; otherwise those that the JVM trusts
   */
  RedisDriver(Optional<Path> ca, Machine machine) {
    this.machine = machine;
    scheduler = machine.scheduler("plinth-redis");
    resources =
        DefaultClientResources.builder()
            .commandLatencyRecorder(CommandLatencyRecorder.disabled())
            .nettyCustomizer(new ConsolidatedFlushes())
            .build();
    client = RedisClient.create(resources);
    client.setOptions(options(ca));
  }

  /**
   * Without Lettuce's own reconnect: it would retry what was in flight when a connection broke, and
   * charge it twice.
   */
  private static ClientOptions options(Optional<Path> ca) {
    ClientOptions.Builder options =
        ClientOptions.builder()
            .autoReconnect(false)
            .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
            .timeoutOptions(
                TimeoutOptions.builder().timeoutCommands(false).build()) // the store has its own
            .requestQueueSize(IN_FLIGHT)
            .protocolVersion(ProtocolVersion.RESP2)
            .maintNotificationsConfig(MaintNotificationsConfig.disabled())
            .socketOptions(SocketOptions.builder().connectTimeout(HELLO).tcpNoDelay(true).build());
    ca.ifPresent(
        file ->
            options.sslOptions(
                SslOptions.builder().jdkSslProvider().trustManager(file.toFile()).build()));
    return options.build();
  }

  RedisClient client() {
    return client;
  }

  Machine machine() {
    return machine;
  }

  long nanos() {
    return machine.nanos().getAsLong();
  }

  ScheduledExecutorService scheduler() {
    return scheduler;
  }

  @Override
  public void close() {
    scheduler.shutdownNow();
    client.shutdown(Duration.ZERO, HELLO);
    resources.shutdown(0, HELLO.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** What several threads send at about the same time goes out in one write. */
  private static final class ConsolidatedFlushes implements NettyCustomizer {
    @Override
    public void afterChannelInitialized(Channel channel) {
      channel.pipeline().addFirst(new FlushConsolidationHandler(FLUSH_AFTER, true));
    }
  }
}
