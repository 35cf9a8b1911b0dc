package dev.plinth.client.config;

import dev.plinth.client.internal.ClientEnvironment;
import dev.plinth.client.internal.ClientWire;
import dev.plinth.client.internal.ClockReading;
import dev.plinth.config.v1.Snapshot;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * How old what an agent has may be: the time since the server last said that there is nothing
 * newer, by the monotonic clock. A time in which the machine slept counts, too, as far as the wall
 * clock shows it.
 */
final class ConfigFreshness {
  private static final Duration SLEPT = Duration.ofSeconds(1);

  private final ClientEnvironment environment;
  private final Duration usual;
  private final Map<String, Duration> own = new HashMap<>();
  private volatile ClockReading confirmed;
  private volatile Duration shortest;

  ConfigFreshness(ClientEnvironment environment, Duration usual) {
    this.environment = environment;
    this.usual = usual;
    this.shortest = usual;
    this.confirmed = environment.now();
  }

  /** A bookmark that came then counts. */
  void confirm(ClockReading at) {
    confirmed = at;
  }

  Duration age() {
    ClockReading now = environment.now();
    ClockReading since = confirmed;
    Duration slept = now.suspendedSince(since);
    Duration awake = Duration.ofNanos(now.nanos() - since.nanos());
    return slept.compareTo(SLEPT) > 0 ? awake.plus(slept) : awake;
  }

  /** What a group says of itself is in force from now on. */
  synchronized void applied(ConfigGroup group) {
    for (Snapshot snapshot : group.assignment().getSnapshotsList()) {
      if (snapshot.hasMaxStaleness()) {
        own.put(snapshot.getConfig(), ClientWire.duration(snapshot.getMaxStaleness()));
      } else {
        own.remove(snapshot.getConfig());
      }
    }
    shortest = own.values().stream().reduce(usual, ClientWire::shorter);
  }

  /** Of the config that must be the freshest. */
  Duration shortest() {
    return shortest;
  }

  boolean isStale() {
    return age().compareTo(shortest) > 0;
  }

  synchronized boolean isStale(String config) {
    return age().compareTo(own.getOrDefault(config, usual)) > 0;
  }
}
