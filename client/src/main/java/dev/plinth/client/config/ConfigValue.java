package dev.plinth.client.config;

import dev.plinth.config.v1.Snapshot;

/**
 * A config as it is used: its decoded value, and what the server calls it. It never changes.
 *
 * @param epoch 0 for one that did not come from a server, as generation and revision
 * @param generation orders what a process has, within an epoch
 * @param revision says which content it is, and nothing about order
 */
public record ConfigValue<T>(
    T value, ConfigSource source, String group, long epoch, long generation, long revision) {

  static <T> ConfigValue<T> live(T value, ConfigGroup group, Snapshot snapshot) {
    return new ConfigValue<>(
        value,
        ConfigSource.LIVE,
        group.group(),
        group.position().epoch(),
        group.position().generation(),
        snapshot.getRevision());
  }

  ConfigValue<T> from(ConfigSource other) {
    return new ConfigValue<>(value, other, group, epoch, generation, revision);
  }
}
