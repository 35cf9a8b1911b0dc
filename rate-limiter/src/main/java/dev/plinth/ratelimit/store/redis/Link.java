package dev.plinth.ratelimit.store.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One connection, made anew in the background whenever it is lost, for ever. What was under way on
 * a lost one has failed, and is not sent again. A peer that vanished without a word is noticed by
 * its silence to a ping.
 */
final class Link implements AutoCloseable {
  private static final Logger log = System.getLogger("plinth.redis");
  private static final long LEAST_PAUSE_MILLIS = 20;
  private static final long MOST_PAUSE_MILLIS = 1_000;
  private static final long PING_MILLIS = 500;
  private static final long SILENCE_NANOS = Duration.ofSeconds(2).toNanos();
  private static final long DOUBT_NANOS = Duration.ofSeconds(1).toNanos();

  private final RedisClient client;
  private final RedisURI uri;
  private final ScheduledExecutorService scheduler;
  private final Consumer<StatefulRedisConnection<byte[], byte[]>> greeting;
  private volatile Up up;
  private volatile String failure = "not connected yet";
  private volatile boolean closed;
  private int attempts; // only between a connection's end and the next one

  /**
   * @param greeting is given each connection that was made, and must not block
   */
  Link(
      RedisClient client,
      RedisURI uri,
      ScheduledExecutorService scheduler,
      Consumer<StatefulRedisConnection<byte[], byte[]>> greeting) {
    this.client = client;
    this.uri = uri;
    this.scheduler = scheduler;
    this.greeting = greeting;
  }

  void open() {
    connect();
    scheduler.scheduleWithFixedDelay(this::watch, PING_MILLIS, PING_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Null while there is none. */
  Up up() {
    return up;
  }

  Optional<String> trouble() {
    Up now = up;
    if (now == null) {
      return Optional.of("no connection: " + failure);
    }
    long silent = now.silentNanos();
    return silent < DOUBT_NANOS
        ? Optional.empty()
        : Optional.of("no answer for " + TimeUnit.NANOSECONDS.toMillis(silent) + " ms");
  }

  private void connect() {
    if (closed) {
      return;
    }
    try {
      client
          .connectAsync(ByteArrayCodec.INSTANCE, uri)
          .whenComplete(
              (connection, failed) -> {
                if (failed == null) {
                  connected(connection);
                } else {
                  again(Failing.reason(failed));
                }
              });
    } catch (RuntimeException e) {
      again(Failing.reason(e)); // whatever it is, nobody else would try again
    }
  }

  private void connected(StatefulRedisConnection<byte[], byte[]> connection) {
    Up made = new Up(connection);
    connection.addListener(
        new RedisConnectionStateListener() {
          @Override
          public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
            lost(made, "connection lost");
          }
        });
    // Goes out before whatever is sent on this connection later, so that finds the script.
    connection.async().scriptLoad(Script.BUDGETS.text());
    greeting.accept(connection);
    attempts = 0;
    up = made;
    log.log(Level.INFO, "connected to Redis at {0}:{1}", uri.getHost(), "" + uri.getPort());
    if (closed || !connection.isOpen()) {
      lost(made, "connection lost");
    }
  }

  private void lost(Up gone, String why) {
    synchronized (this) {
      if (up != gone) {
        return;
      }
      up = null;
    }
    if (!closed) { // or else the client closes it
      gone.connection.closeAsync();
      log.log(Level.WARNING, "Redis at {0}:{1}: {2}", uri.getHost(), "" + uri.getPort(), why);
      again(why);
    }
  }

  private void again(String why) {
    failure = why;
    long most = Math.min(MOST_PAUSE_MILLIS, LEAST_PAUSE_MILLIS << Math.min(attempts++, 10));
    long pause = ThreadLocalRandom.current().nextLong(most / 2, most + 1);
    try {
      scheduler.schedule(this::connect, pause, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // Closed meanwhile.
    }
  }

  private void watch() {
    Up now = up;
    if (now == null) {
      return;
    }
    if (now.silentNanos() > SILENCE_NANOS) {
      lost(now, "no answer to a ping");
    } else {
      now.ping();
    }
  }

  @Override
  public void close() {
    closed = true;
  }

  /** A connection that was made, and is used until it breaks. */
  static final class Up {
    private final StatefulRedisConnection<byte[], byte[]> connection;
    private volatile long asked; // 0 if no ping is under way

    private Up(StatefulRedisConnection<byte[], byte[]> connection) {
      this.connection = connection;
    }

    StatefulRedisConnection<byte[], byte[]> connection() {
      return connection;
    }

    RedisFuture<long[]> run(CommandType type, CommandArgs<byte[], byte[]> args) {
      return connection.async().dispatch(type, new LongsOutput(), args);
    }

    private void ping() {
      if (asked == 0) {
        asked = System.nanoTime() | 1;
        connection
            .async()
            .ping()
            .whenComplete(
                (pong, failed) -> {
                  if (failed == null) {
                    asked = 0;
                  }
                });
      }
    }

    private long silentNanos() {
      long since = asked;
      return since == 0 ? 0 : System.nanoTime() - since;
    }
  }
}
