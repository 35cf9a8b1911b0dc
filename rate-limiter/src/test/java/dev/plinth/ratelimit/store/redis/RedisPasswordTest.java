package dev.plinth.ratelimit.store.redis;

import dev.plinth.testkit.Await;
import dev.plinth.testkit.TestSettings;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A Redis that wants a password, which stands in a file. */
class RedisPasswordTest {
  @RegisterExtension static final SharedEngine REDIS = Engines.redis();

  @TempDir Path folder;

  private RedisBudgetStore open(String... flags) {
    return RedisBudgetStore.open(
        "redis://" + REDIS.hostPorts(),
        Duration.ofSeconds(20),
        TestSettings.read(RedisSettings.class, flags),
        ForkJoinPool.commonPool());
  }

  @Test
  void passwordInAFile_opensTheDoor_andNoneDoesNot() throws IOException {
    Path file = Files.writeString(folder.resolve("password"), "open sesame\n");
    RedisClient client = RedisClient.create("redis://" + REDIS.hostPorts());
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      connection.sync().configSet("requirepass", "open sesame");
      try (RedisBudgetStore with = open("--password-file=" + file);
          RedisBudgetStore without = open()) {
        Await.until("it is let in", () -> with.unavailableReason().isEmpty());
        Await.until(
            "the other is not", () -> without.unavailableReason().orElse("").contains("NOAUTH"));
      } finally {
        connection.sync().configSet("requirepass", "");
      }
    } finally {
      client.shutdown();
    }
  }
}
