package dev.plinth.ratelimit.store.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** The connections to one Redis, or to the primary that sentinels name, used in turn. */
final class ServerConnections implements RedisConnections {
  private static final Logger log = System.getLogger("plinth.redis");
  private static final String SAFE = "noeviction";
  private static final long CHECK_MILLIS = 1_000;

  private final AtomicInteger turn = new AtomicInteger();
  private final List<ReconnectingConnection> all;
  private final KeyLossDetector lostKeys = new KeyLossDetector();
  private final ScheduledFuture<?> check;

  ServerConnections(RedisDriver driver, RedisURI uri, String location, int connections) {
    all =
        IntStream.range(0, connections)
            .mapToObj(
                i ->
                    new ReconnectingConnection(
                        driver,
                        uri,
                        location,
                        i == 0 ? ServerConnections::warnOfEviction : c -> {}))
            .toList();
    all.forEach(ReconnectingConnection::open);
    check =
        driver
            .scheduler()
            .scheduleWithFixedDelay(
                () -> pick().ifPresent(lostKeys::check),
                CHECK_MILLIS,
                CHECK_MILLIS,
                TimeUnit.MILLISECONDS);
  }

  /** Redis may evict budgets and admit too much; where CONFIG is refused, that is not known. */
  private static void warnOfEviction(StatefulRedisConnection<byte[], byte[]> connection) {
    connection
        .async()
        .configGet("maxmemory-policy")
        .thenAccept(
            found -> {
              String policy = found.getOrDefault("maxmemory-policy", SAFE);
              if (!policy.equals(SAFE)) {
                log.log(
                    Level.WARNING,
                    "maxmemory-policy: {0} (expected: {1}); a budget that Redis evicts begins anew",
                    policy,
                    SAFE);
              }
            });
  }

  @Override
  public Optional<ReconnectingConnection.LiveConnection> pick(String domain) {
    return pick();
  }

  /** One that is up, each in its turn; empty if none is. */
  Optional<ReconnectingConnection.LiveConnection> pick() {
    int first = Math.floorMod(turn.getAndIncrement(), all.size());
    for (int i = 0; i < all.size(); i++) {
      ReconnectingConnection.LiveConnection up = all.get((first + i) % all.size()).up();
      if (up != null) {
        return Optional.of(up);
      }
    }
    return Optional.empty();
  }

  @Override
  public Optional<ReconnectingConnection.LiveConnection> pickMoved(
      ReconnectingConnection.LiveConnection by, String hostPort) {
    return Optional.empty();
  }

  @Override
  public Optional<String> unavailableReason() {
    String last = null;
    for (ReconnectingConnection connection : all) {
      Optional<String> unavailableReason = connection.unavailableReason();
      if (unavailableReason.isEmpty()) {
        return unavailableReason;
      }
      last = unavailableReason.get();
    }
    return Optional.ofNullable(last);
  }

  @Override
  public void close() {
    check.cancel(false);
    all.forEach(ReconnectingConnection::close);
  }
}
