package dev.plinth.ratelimit.store.redis;

import static dev.plinth.server.settings.InvalidSettingException.unlessBetween;

import dev.plinth.server.settings.Secret;
import dev.plinth.server.settings.Setting;
import java.nio.file.Path;
import java.util.Optional;

/** How a node uses Redis. */
public record RedisSettings(
    @Setting(
            meaning = "Connections to Redis; with one, batches wait behind each other's bytes",
            byDefault = "2")
        int connections,
    @Setting(meaning = "File with Redis's password, if it has one", byDefault = "")
        Optional<Secret> passwordFile,
    @Setting(
            meaning =
                "File with the certificate of the authority that signed Redis's, for rediss://;"
                    + " without it, those that the JVM trusts",
            byDefault = "")
        Optional<Path> caFile) {

  public RedisSettings {
    unlessBetween("connections", connections, 1, 16);
  }

  /** Of a Redis without a password. */
  public RedisSettings(int connections) {
    this(connections, Optional.empty(), Optional.empty());
  }
}
