package dev.plinth.lease.core;

import dev.plinth.shards.Tx;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The keys of a shard by namespace and name, and their rows. A key that nobody holds or wants is
 * not here.
 */
final class KeyTable {
  private final Map<String, TreeMap<String, LeaseKey>> namespaces = new HashMap<>();

  Optional<LeaseKey> find(LeaseName name) {
    return Optional.ofNullable(keys(name.namespace()).get(name.key()));
  }

  LeaseKey findOrMake(LeaseName name) {
    return keys(name.namespace()).computeIfAbsent(name.key(), key -> new LeaseKey(name));
  }

  void add(LeaseKey key) {
    keys(key.name.namespace()).put(key.name.key(), key);
  }

  void forEach(Consumer<LeaseKey> action) {
    namespaces.values().stream().map(Map::values).flatMap(Collection::stream).forEach(action);
  }

  /** Writes the key as it is now, and forgets it if nothing is left of it. */
  void save(LeaseKey key, Tx tx) {
    if (!key.isFree()) {
      tx.put(LeaseRows.keyOf(key.name), LeaseRows.encode(key));
      key.stored = true;
    } else if (key.stored) {
      tx.delete(LeaseRows.keyOf(key.name));
      key.stored = false;
    }
    forgetIfUnused(key);
  }

  void forgetIfUnused(LeaseKey key) {
    if (key.isFree() && key.line.isEmpty()) {
      keys(key.name.namespace()).remove(key.name.key(), key);
    }
  }

  /** Holds of a namespace in the order of their keys: those that begin so, from after one on. */
  List<LeaseView> list(String namespace, String prefix, String after, long now) {
    boolean fromPrefix = after.compareTo(prefix) < 0 || after.isEmpty();
    return keys(namespace).tailMap(fromPrefix ? prefix : after, fromPrefix).values().stream()
        .takeWhile(key -> key.name.key().startsWith(prefix))
        .flatMap(key -> key.views(now).stream())
        .toList();
  }

  private TreeMap<String, LeaseKey> keys(String namespace) {
    return namespaces.computeIfAbsent(namespace, n -> new TreeMap<>());
  }
}
