package dev.plinth.client.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.plinth.client.guard.RedisGuard.Fenced;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("engine")
class RedisGuardTest {
  /** Above 2^53, as real tokens are after a while. */
  private static final long OLD = (1L << 62) + 1;

  private static final long NEW = OLD + 1;

  @RegisterExtension static final SharedEngine REDIS = Engines.redis();

  private final Fenced key = Fenced.of("account-" + UUID.randomUUID());
  private RedisClient client;
  private StatefulRedisConnection<String, String> connection;
  private RedisCommands<String, String> commands;
  private RedisGuard guard;

  @BeforeEach
  void connect() {
    client = RedisClient.create("redis://" + REDIS.hostPorts());
    connection = client.connect();
    commands = connection.sync();
    guard = new RedisGuard(this::eval);
  }

  @AfterEach
  void close() {
    connection.close();
    client.shutdown();
  }

  private long eval(String script, List<String> keys, List<String> args) {
    Long result =
        commands.eval(
            script,
            ScriptOutputType.INTEGER,
            keys.toArray(String[]::new),
            args.toArray(String[]::new));
    return result;
  }

  @Test
  void V4_staleHolder_isRefused_afterANewerOneWrote() {
    guard.write(key, OLD, "SET", "old");
    guard.write(key, NEW, "SET", "new");
    assertThrows(StaleTokenException.class, () -> guard.write(key, OLD, "SET", "late"));
    assertEquals("new", commands.get(key.key()));
    guard.write(key, NEW, "SET", "new again");
    assertEquals("new again", commands.get(key.key()));
  }

  @Test
  void V4_withoutTheGuard_theSameWritesCorrupt() {
    commands.set(key.key(), "old");
    commands.set(key.key(), "new");
    commands.set(key.key(), "late");
    assertEquals("late", commands.get(key.key()));
  }

  @Test
  void tokensOfDifferentLength_compareAsNumbers() {
    guard.write(key, 9, "SET", "old");
    guard.write(key, 10, "SET", "new");
    assertThrows(StaleTokenException.class, () -> guard.write(key, 9, "SET", "late"));
  }

  @Test
  void anyCommand_goesThrough_andAFailedOneIsTold() {
    guard.write(key, OLD, "HSET", "field", "value");
    assertEquals("value", commands.hget(key.key(), "field"));
    assertThrows(
        RedisCommandExecutionException.class, () -> guard.write(key, OLD, "LPUSH", "value"));
  }

  @Test
  void fence_isInTheSlotOfItsKey() {
    assertEquals("{a}:fence", Fenced.of("a").fence());
    assertEquals("{a}:b:fence", Fenced.of("{a}:b").fence());
  }

  @Test
  void negativeToken_isRefused() {
    assertThrows(IllegalArgumentException.class, () -> guard.write(key, -1, "SET", "x"));
  }
}
