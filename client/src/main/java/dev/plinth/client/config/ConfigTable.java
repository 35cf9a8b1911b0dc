package dev.plinth.client.config;

import java.util.Map;

/** The values of all configs of an agent; replaced as a whole, never changed. */
final class ConfigTable {
  private volatile ConfigValue<?>[] values;

  ConfigTable(int size) {
    values = new ConfigValue<?>[size];
  }

  /** Not to be changed. */
  ConfigValue<?>[] values() {
    return values;
  }

  /** By one thread at a time. */
  void replace(Map<Integer, ConfigValue<?>> changed) {
    ConfigValue<?>[] next = values.clone();
    changed.forEach((index, value) -> next[index] = value);
    values = next;
  }
}
