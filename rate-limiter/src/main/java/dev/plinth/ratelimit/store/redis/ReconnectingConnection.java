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
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One connection, reopened in the background whenever it is lost, for ever. What was in flight on a
 * lost one has failed, and is not retried. A peer that vanished without a word is noticed by its
 * silence to a ping.
 */
final class ReconnectingConnection implements AutoCloseable {
  private static final Logger log = System.getLogger("plinth.redis");
  private static final long MIN_BACKOFF_MILLIS = 20;
  private static final long MAX_BACKOFF_MILLIS = 1_000;
  private static final long PING_MILLIS = 500;
  private static final long SILENCE_NANOS = Duration.ofSeconds(2).toNanos();
  private static final long DOUBT_NANOS = Duration.ofSeconds(1).toNanos();

  private final RedisDriver driver;
  private final RedisURI uri;
  private final String location;
  private final Consumer<StatefulRedisConnection<byte[], byte[]>> greeting;
  private volatile LiveConnection up;
  private volatile String failure = "not connected yet";
  private volatile boolean closed;
  private ScheduledFuture<?> pings;
  private int attempts; // only between a connection's end and the next one

  /**
   * @param greeting is given each connection that was made, and must not block
   */
  ReconnectingConnection(
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
  LiveConnection up() {
    return up;
  }

  Optional<String> unavailableReason() {
    LiveConnection now = up;
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
                  reconnect(RedisFailures.reason(failed));
                }
              });
    } catch (RuntimeException e) {
      reconnect(RedisFailures.reason(e)); // whatever it is, nobody else would try again
    }
  }

  private void connected(StatefulRedisConnection<byte[], byte[]> connection) {
    LiveConnection made = new LiveConnection(connection, this);
    connection.addListener(
        new RedisConnectionStateListener() {
          @Override
          public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
            lost(made, "connection lost");
          }
        });
    // Goes out before whatever is sent on this connection later, so that finds the script.
    connection.async().scriptLoad(RedisScript.BUDGETS.text());
    greeting.accept(connection);
    up = made;
    log.log(Level.INFO, "connected to Redis at {0}", location);
    if (closed || !connection.isOpen()) {
      lost(made, "connection lost");
    }
  }

  private void lost(LiveConnection gone, String why) {
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
        attempts = 0; // one that is closed at once, of a replica say, is not reopened at once
      }
      reconnect(why);
    }
  }

  private void reconnect(String why) {
    failure = why;
    long maxDelay = Math.min(MAX_BACKOFF_MILLIS, MIN_BACKOFF_MILLIS << Math.min(attempts++, 10));
    long delay = driver.machine().random().nextLong(maxDelay / 2, maxDelay + 1);
    try {
      driver.scheduler().schedule(this::connect, delay, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // Closed meanwhile.
    }
  }

  private void watch() {
    LiveConnection now = up;
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
    LiveConnection last = up;
    if (last != null) {
      lost(last, "closed");
    }
  }

  /** A connection that was made, and is used until it breaks. */
  static final class LiveConnection {
    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final ReconnectingConnection owner;
    private final long since;
    private volatile long pingSentAt; // 0 if no ping is in flight

    private LiveConnection(
        StatefulRedisConnection<byte[], byte[]> connection, ReconnectingConnection owner) {
      this.connection = connection;
      this.owner = owner;
      this.since = owner.driver.nanos();
    }

    /**
     * Checks how a command failed. A server that is a replica now, after a failover, would refuse
     * everything for as long as the connection lasts: it is closed, and the primary looked up
     * again.
     */
    void failed(Throwable failure) {
      if (ErrorReply.of(failure).filter(ErrorReply::isOfAReplica).isPresent()) {
        owner.lost(this, "it is a replica");
      }
    }

    private long ageNanos() {
      return owner.driver.nanos() - since;
    }

    StatefulRedisConnection<byte[], byte[]> connection() {
      return connection;
    }

    /** As the address names it: of a cluster's node its {@code host:port}. */
    String location() {
      return owner.location;
    }

    RedisFuture<long[]> run(CommandType type, CommandArgs<byte[], byte[]> args) {
      return connection.async().dispatch(type, new LongsOutput(), args);
    }

    private void ping() {
      if (pingSentAt == 0) {
        pingSentAt = owner.driver.nanos() | 1;
        connection
            .async()
            .ping()
            .whenComplete(
                (pong, failed) -> {
                  // A refusal is an answer too: MISCONF, BUSY and others refuse even a ping.
                  if (failed == null || ErrorReply.of(failed).isPresent()) {
                    pingSentAt = 0;
                  }
                });
      }
    }

    private long silentNanos() {
      long since = pingSentAt;
      return since == 0 ? 0 : owner.driver.nanos() - since;
    }
  }
}
