package dev.plinth.client.config;

import java.util.Optional;

/** All configs of an agent at one moment: those of a group are of one generation. */
public final class ConfigSnapshot {
  private final ConfigValue<?>[] values;

  ConfigSnapshot(ConfigValue<?>[] values) {
    this.values = values;
  }

  public <T> Optional<ConfigValue<T>> get(ConfigHandle<T> config) {
    return config.in(values);
  }
}
