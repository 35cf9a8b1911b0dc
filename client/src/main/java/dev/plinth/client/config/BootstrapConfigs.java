package dev.plinth.client.config;

import java.util.HashMap;
import java.util.Map;

/** Configs that are built into the application. */
final class BootstrapConfigs {
  private BootstrapConfigs() {}

  static void decode(
      Map<String, byte[]> contents, Map<String, ConfigHandle<?>> handles, ConfigTable table) {
    Map<Integer, ConfigValue<?>> values = new HashMap<>();
    contents.forEach(
        (name, content) -> {
          ConfigHandle<?> handle = handles.get(name);
          if (handle == null) {
            throw new IllegalArgumentException(
                "bootstrap: " + name + " (expected: a config of this agent)");
          }
          values.put(handle.index(), decode(handle, content));
        });
    table.replace(values);
  }

  private static <T> ConfigValue<T> decode(ConfigHandle<T> handle, byte[] content) {
    try {
      T value = handle.decoder().decode(content);
      return new ConfigValue<>(value, ConfigSource.BOOTSTRAP, "", 0, 0, 0);
    } catch (Exception e) {
      throw new IllegalArgumentException("bootstrap: " + handle.name() + " is not valid", e);
    }
  }
}
