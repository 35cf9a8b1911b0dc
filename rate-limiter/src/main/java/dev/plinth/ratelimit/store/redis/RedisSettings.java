package dev.plinth.ratelimit.store.redis;

import static dev.plinth.server.settings.InvalidSetting.unlessBetween;

import dev.plinth.server.settings.Secret;
import dev.plinth.server.settings.Setting;
import java.time.Duration;
import java.util.Optional;

/** How a node uses Redis. */
public record RedisSettings(
    @Setting(
            meaning = "Longest wait for a decision of Redis; then the rules' fail modes decide",
            byDefault = "20ms")
        Duration timeout,
    @Setting(
            meaning = "Connections to Redis; with one, batches wait behind each other's bytes",
            byDefault = "2")
        int connections,
    @Setting(meaning = "File with Redis's password, if it has one", byDefault = "")
        Optional<Secret> passwordFile) {

  public RedisSettings {
    unlessBetween("timeout", timeout, Duration.ofMillis(1), Duration.ofSeconds(60));
    unlessBetween("connections", connections, 1, 16);
  }

  /** Of a Redis without a password. */
  public RedisSettings(Duration timeout, int connections) {
    this(timeout, connections, Optional.empty());
  }
}
