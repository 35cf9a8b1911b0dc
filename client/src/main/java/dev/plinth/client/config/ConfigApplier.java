package dev.plinth.client.config;

import dev.plinth.config.v1.Snapshot;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Makes groups visible: all configs of one at once, or none. It runs the application's code, so it
 * may block; one call at a time.
 */
final class ConfigApplier {
  private static final Logger log = System.getLogger("plinth.client");

  /** A value that is to be visible. */
  private record Change<T>(ConfigHandle<T> handle, ConfigValue<T> value, boolean isNew) {
    private void tell(ConfigListener<T> listener, Optional<T> before) throws Exception {
      listener.onChange(before, value.value());
    }
  }

  /** A listener that was told, and how to tell it to go back. */
  private interface Undo {
    void run() throws Exception;
  }

  private final Map<String, ConfigHandle<?>> handles;
  private final ConfigTable table;
  private final ContentVerifier verifier;
  // Hashes of what is visible, by config; to call nobody for content that has not changed.
  private final Map<String, Snapshot> visible = new HashMap<>();

  ConfigApplier(Map<String, ConfigHandle<?>> handles, ConfigTable table, ContentVerifier verifier) {
    this.handles = handles;
    this.table = table;
    this.verifier = verifier;
  }

  /**
   * @param onStaged runs when it is known to be valid
   */
  void apply(ConfigGroup group, ConfigSource source, Runnable onStaged)
      throws ConfigRejectedException {
    verifier.verify(group);
    List<Change<?>> changes = new ArrayList<>();
    for (Snapshot snapshot : group.assignment().getSnapshotsList()) {
      ConfigHandle<?> handle = handles.get(snapshot.getConfig());
      if (handle != null) {
        changes.add(decode(handle, group, snapshot, source));
      }
    }
    onStaged.run();
    tellAll(changes);
    Map<Integer, ConfigValue<?>> values = new HashMap<>();
    changes.forEach(change -> values.put(change.handle().index(), change.value()));
    table.replace(values);
    group.snapshots().forEach(visible::put);
  }

  private <T> Change<T> decode(
      ConfigHandle<T> handle, ConfigGroup group, Snapshot snapshot, ConfigSource source)
      throws ConfigRejectedException {
    Optional<ConfigValue<T>> before = handle.in(table.values());
    Snapshot shown = visible.get(handle.name());
    boolean same =
        before.isPresent() && shown != null && shown.getSha256().equals(snapshot.getSha256());
    if (same) {
      ConfigValue<T> value = ConfigValue.live(before.get().value(), group, snapshot);
      return new Change<>(handle, value.from(source), false);
    }
    try {
      byte[] content = group.contents().get(handle.name()).toByteArray();
      T value = handle.decoder().decode(content);
      return new Change<>(handle, ConfigValue.live(value, group, snapshot).from(source), true);
    } catch (Throwable e) { // whatever the application's code does, what was there stays
      throw new ConfigRejectedException(handle.name(), e);
    }
  }

  private void tellAll(List<Change<?>> changes) throws ConfigRejectedException {
    List<Undo> told = new ArrayList<>();
    for (Change<?> change : changes) {
      if (change.isNew()) {
        try {
          tell(change, told);
        } catch (Throwable e) {
          undo(told);
          throw new ConfigRejectedException(change.handle().name(), e);
        }
      }
    }
  }

  private <T> void tell(Change<T> change, List<Undo> told) throws Exception {
    Optional<T> before = change.handle().in(table.values()).map(ConfigValue::value);
    T now = change.value().value();
    for (ConfigListener<T> listener : change.handle().listeners()) {
      change.tell(listener, before);
      before.ifPresent(old -> told.add(0, () -> listener.onChange(Optional.of(now), old)));
    }
  }

  private static void undo(List<Undo> told) {
    for (Undo undo : told) {
      try {
        undo.run();
      } catch (Throwable e) {
        log.log(Level.ERROR, "a listener of a config cannot go back", e);
      }
    }
  }

  /** What the cache had is what this process is to have: the server has said so. */
  void confirm() {
    Map<Integer, ConfigValue<?>> confirmed = new HashMap<>();
    ConfigValue<?>[] values = table.values();
    for (int i = 0; i < values.length; i++) {
      if (values[i] != null && values[i].source() == ConfigSource.CACHE) {
        confirmed.put(i, values[i].from(ConfigSource.LIVE));
      }
    }
    if (!confirmed.isEmpty()) {
      table.replace(confirmed);
    }
  }
}
