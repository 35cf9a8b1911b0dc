package dev.plinth.client.config;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** One config of an agent. */
public final class ConfigHandle<T> {
  private final String name;
  private final int index;
  private final ConfigDecoder<T> decoder;
  private final List<ConfigListener<T>> listeners = new CopyOnWriteArrayList<>();
  private volatile ConfigTable table;

  ConfigHandle(String name, int index, ConfigDecoder<T> decoder) {
    this.name = name;
    this.index = index;
    this.decoder = decoder;
  }

  public String name() {
    return name;
  }

  int index() {
    return index;
  }

  ConfigDecoder<T> decoder() {
    return decoder;
  }

  List<ConfigListener<T>> listeners() {
    return listeners;
  }

  void bind(ConfigTable to) {
    table = to;
  }

  /**
   * What the config is now: reads of memory, and no more.
   *
   * @throws IllegalStateException if there is none yet: not at the server, in the cache, nor built
   *     in; or if the agent was not started
   */
  public T get() {
    ConfigTable bound = table;
    ConfigValue<?> value = bound == null ? null : bound.values()[index];
    if (value == null) {
      throw new IllegalStateException("config " + name + " has no value yet");
    }
    return cast(value).value();
  }

  /** With where it is from; empty if there is none yet. */
  public Optional<ConfigValue<T>> current() {
    ConfigTable bound = table;
    return bound == null ? Optional.empty() : in(bound.values());
  }

  Optional<ConfigValue<T>> in(ConfigValue<?>[] values) {
    return Optional.ofNullable(cast(values[index]));
  }

  @SuppressWarnings("unchecked") // the values at this index are made by this handle's decoder
  private ConfigValue<T> cast(ConfigValue<?> value) {
    return (ConfigValue<T>) value;
  }

  /**
   * Has the listener told of each change that follows, before {@link #get} shows it. If it throws,
   * the change is rejected: what was there stays, for all configs of the group, and listeners that
   * had been told are told to go back.
   */
  public void onChange(ConfigListener<T> listener) {
    listeners.add(listener);
  }
}
