package dev.plinth.ratelimit.store.redis;

import io.lettuce.core.RedisChannelHandler;
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
import java.util.concurrent.ScheduledFuture;
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

  private final RedisDriver driver;
  private final RedisURI uri;
  private final String location;
  private final Consumer<StatefulRedisConnection<byte[], byte[]>> greeting;
  private volatile Up up;
  private volatile String failure = "not connected yet";
  private volatile boolean closed;
  private ScheduledFuture<?> pings;
  private int attempts; // only between a connection's end and the next one

  /**
   * @param greeting is given each connection that was made, and must not block
   */
  Link(
      RedisDriver driver,
      RedisURI uri,
      String location,
      Consumer<StatefulRedisConnection<byte[], byte[]>> greeting) {
    this.driver = driver;
    this.uri = uri;
    this.location = location;
    this.greeting = greeting;
  }

  void open() {
    connect();
    pings =
        driver
            .scheduler()
            .scheduleWithFixedDelay(this::watch, PING_MILLIS, PING_MILLIS, TimeUnit.MILLISECONDS);
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
      driver
          .client()
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
    Up made = new Up(connection, this);
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
    up = made;
    log.log(Level.INFO, "connected to Redis at {0}", location);
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
    if (gone.connection.isOpen()) {
      gone.connection.closeAsync();
    }
    if (!closed) {
      log.log(Level.WARNING, "Redis at {0}: {1}", location, why);
      if (gone.ageNanos() > SILENCE_NANOS) {
        attempts = 0; // one that is left at once, of a replica say, is not made anew at once
      }
      again(why);
    }
  }

  private void again(String why) {
    failure = why;
    long most = Math.min(MOST_PAUSE_MILLIS, LEAST_PAUSE_MILLIS << Math.min(attempts++, 10));
    long pause = ThreadLocalRandom.current().nextLong(most / 2, most + 1);
    try {
      driver.scheduler().schedule(this::connect, pause, TimeUnit.MILLISECONDS);
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
    pings.cancel(false);
    Up last = up;
    if (last != null) {
      lost(last, "closed");
    }
  }

  /** A connection that was made, and is used until it breaks. */
  static final class Up {
    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final Link link;
    private final long since = System.nanoTime();
    private volatile long asked; // 0 if no ping is under way

    private Up(StatefulRedisConnection<byte[], byte[]> connection, Link link) {
      this.connection = connection;
      this.link = link;
    }

    /**
     * Looks at how a command failed. A server that is a replica now, after a failover, would refuse
     * everything for as long as the connection lasts: it is left, and the primary looked for anew.
     */
    void failed(Throwable failure) {
      if (ErrorReply.of(failure).filter(ErrorReply::isOfAReplica).isPresent()) {
        link.lost(this, "it is a replica");
      }
    }

    private long ageNanos() {
      return System.nanoTime() - since;
    }

    StatefulRedisConnection<byte[], byte[]> connection() {
      return connection;
    }

    /** As the address names it: of a cluster's node its {@code host:port}. */
    String location() {
      return link.location;
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
                  // A refusal is an answer too: MISCONF, BUSY and others refuse even a ping.
                  if (failed == null || ErrorReply.of(failed).isPresent()) {
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
