package dev.plinth.testkit.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("engine")
class RedisLauncherTest {
  @RegisterExtension static final SharedEngine REDIS = Engines.redis();

  @Test
  void restart_afterKill_keepsAcknowledgedWrites() {
    String address = REDIS.hostPorts();
    try (RedisClient client = connect();
        StatefulRedisConnection<String, String> connection = client.connect()) {
      for (int i = 0; i < 100; i++) {
        connection.sync().set("kept-" + i, "value-" + i);
      }
      REDIS.kill();
      REDIS.restart();
    }
    assertEquals(address, REDIS.hostPorts());
    try (RedisClient client = connect();
        StatefulRedisConnection<String, String> connection = client.connect()) {
      for (int i = 0; i < 100; i++) {
        assertEquals("value-" + i, connection.sync().get("kept-" + i));
      }
    }
  }

  @Test
  void pause_duringACall_holdsTheAnswerUntilResume() throws Exception {
    try (RedisClient client = connect();
        StatefulRedisConnection<String, String> connection = client.connect()) {
      REDIS.pause();
      RedisFuture<String> answer = connection.async().set("paused", "yes");
      assertThrows(TimeoutException.class, () -> answer.get(300, TimeUnit.MILLISECONDS));
      REDIS.resume();
      assertEquals("OK", answer.get(30, TimeUnit.SECONDS));
    }
  }

  private static RedisClient connect() {
    return RedisClient.create("redis://" + REDIS.hostPorts());
  }
}
