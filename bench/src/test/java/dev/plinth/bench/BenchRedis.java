package dev.plinth.bench;

import dev.plinth.testkit.engine.SharedEngine;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A Redis under load, over one connection, and what it can be asked about itself. */
public final class BenchRedis implements AutoCloseable {
  private static final Pattern CALLS = Pattern.compile("cmdstat_([^:]+):calls=(\\d+)");

  private static final Pattern USED = Pattern.compile("used_memory:(\\d+)");

  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;

  public BenchRedis(String uri) {
    client = RedisClient.create(uri);
    connection = client.connect();
  }

  public static BenchRedis of(SharedEngine engine) {
    return new BenchRedis(uri(engine));
  }

  public static String uri(SharedEngine engine) {
    return RedisURI.create(engine.address().getHostString(), engine.address().getPort()).toString();
  }

  /**
   * Every write on disk before its answer, as the engine was started, or in memory only: the
   * fastest that Redis can be.
   */
  public void durable(boolean yes) {
    commands().configSet("appendonly", yes ? "yes" : "no");
  }

  public RedisClient client() {
    return client;
  }

  public StatefulRedisConnection<String, String> connection() {
    return connection;
  }

  public RedisCommands<String, String> commands() {
    return connection.sync();
  }

  /** Memory it has taken for data and all else. */
  public long usedBytes() {
    Matcher used = USED.matcher(commands().info("memory"));
    if (!used.find()) {
      throw new IllegalStateException("Redis does not tell its memory");
    }
    return Long.parseLong(used.group(1));
  }

  /** Commands it has run so far, those inside scripts too, but for the question itself. */
  public long commandsRun() {
    return CALLS
        .matcher(commands().info("commandstats"))
        .results()
        .filter(stat -> !stat.group(1).equals("info"))
        .mapToLong(stat -> Long.parseLong(stat.group(2)))
        .sum();
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown();
  }
}
