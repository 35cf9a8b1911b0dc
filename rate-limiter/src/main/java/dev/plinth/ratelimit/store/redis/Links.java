package dev.plinth.ratelimit.store.redis;

import dev.plinth.server.Threads;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.handler.flush.FlushConsolidationHandler;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** The connections to one Redis, used in turn. */
final class Links implements AutoCloseable {
  /** For connecting and saying hello; what is asked later has the store's own time-out. */
  private static final Duration HELLO = Duration.ofSeconds(1);

  /** Of one connection; more are not sent but refused at once. */
  private static final int IN_FLIGHT = 4096;

  private static final int FLUSH_AFTER = 64;
  private static final long CHECK_MILLIS = 1_000;

  private final ScheduledExecutorService scheduler =
      Executors.newSingleThreadScheduledExecutor(Threads.daemons("plinth-redis"));
  private final AtomicInteger turn = new AtomicInteger();
  private final ClientResources resources;
  private final RedisClient client;
  private final List<Link> links;
  private final LostKeys lostKeys = new LostKeys();

  Links(RedisURI uri, int connections) {
    uri.setTimeout(HELLO);
    resources =
        DefaultClientResources.builder()
            .commandLatencyRecorder(CommandLatencyRecorder.disabled())
            .nettyCustomizer(new Together())
            .build();
    client = RedisClient.create(resources, uri);
    client.setOptions(options());
    links =
        IntStream.range(0, connections)
            .mapToObj(i -> new Link(client, uri, scheduler, i == 0 ? Eviction::check : c -> {}))
            .toList();
    links.forEach(Link::open);
    scheduler.scheduleWithFixedDelay(
        () -> pick().ifPresent(up -> lostKeys.check(up.connection())),
        CHECK_MILLIS,
        CHECK_MILLIS,
        TimeUnit.MILLISECONDS);
  }

  /**
   * Without Lettuce's own reconnect: it would send again what was under way when a connection
   * broke, and charge it twice.
   */
  private static ClientOptions options() {
    return ClientOptions.builder()
        .autoReconnect(false)
        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
        .timeoutOptions(
            TimeoutOptions.builder().timeoutCommands(false).build()) // the store has its own
        .requestQueueSize(IN_FLIGHT)
        .protocolVersion(ProtocolVersion.RESP2)
        .maintNotificationsConfig(MaintNotificationsConfig.disabled())
        .socketOptions(SocketOptions.builder().connectTimeout(HELLO).tcpNoDelay(true).build())
        .build();
  }

  /** One that is up, each in its turn; empty if none is. */
  Optional<Link.Up> pick() {
    int first = Math.floorMod(turn.getAndIncrement(), links.size());
    for (int i = 0; i < links.size(); i++) {
      Link.Up up = links.get((first + i) % links.size()).up();
      if (up != null) {
        return Optional.of(up);
      }
    }
    return Optional.empty();
  }

  /** Why none of them can be used, or empty if one can. */
  Optional<String> trouble() {
    String last = null;
    for (Link link : links) {
      Optional<String> trouble = link.trouble();
      if (trouble.isEmpty()) {
        return trouble;
      }
      last = trouble.get();
    }
    return Optional.ofNullable(last);
  }

  @Override
  public void close() {
    scheduler.shutdownNow();
    links.forEach(Link::close);
    client.shutdown(Duration.ZERO, HELLO);
    resources.shutdown(0, HELLO.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** What several threads send at about the same time goes out in one write. */
  private static final class Together implements NettyCustomizer {
    @Override
    public void afterChannelInitialized(Channel channel) {
      channel.pipeline().addFirst(new FlushConsolidationHandler(FLUSH_AFTER, true));
    }
  }
}
