package dev.plinth.ratelimit.store.redis;

import static dev.plinth.server.settings.InvalidSetting.unlessBetween;

import dev.plinth.server.settings.Secret;
import dev.plinth.server.settings.Setting;
import java.util.Optional;

/** How a node uses Redis. */
public record RedisSettings(
    @Setting(
            meaning = "Connections to Redis; with one, batches wait behind each other's bytes",
            byDefault = "2")
        int connections,
    @Setting(meaning = "File with Redis's password, if it has one", byDefault = "")
        Optional<Secret> passwordFile) {

  public RedisSettings {
    unlessBetween("connections", connections, 1, 16);
  }

  /** Of a Redis without a password. */
  public RedisSettings(int connections) {
    this(connections, Optional.empty());
  }
}
