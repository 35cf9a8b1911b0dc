package dev.plinth.lease.core;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The namespaces of a shard with their keys. A key that nobody holds or wants is not here. */
final class Spaces {
  private final Map<String, Space> spaces = new HashMap<>();

  /** For one who only looks: a look leaves no trace. */
  Optional<Space> find(String namespace) {
    return Optional.ofNullable(spaces.get(namespace));
  }

  Space findOrMake(String namespace) {
    return spaces.computeIfAbsent(namespace, Space::new);
  }

  Optional<LeaseKey> find(LeaseName name) {
    return find(name.namespace()).map(space -> space.keys.get(name.key()));
  }

  Optional<Hold> find(LeaseName name, long token) {
    return find(name).flatMap(key -> key.hold(token));
  }

  LeaseKey findOrMake(LeaseName name) {
    Space space = findOrMake(name.namespace());
    return space.keys.computeIfAbsent(name.key(), key -> new LeaseKey(name, space));
  }

  void forEachKey(Consumer<LeaseKey> action) {
    spaces.values().stream()
        .map(space -> space.keys.values())
        .flatMap(Collection::stream)
        .forEach(action);
  }

  void forgetIfUnused(LeaseKey key) {
    if (key.isFree() && key.line.isEmpty()) {
      key.space.keys.remove(key.name.key(), key);
    }
  }

  /** Holds of a namespace in the order of their keys: those that begin so, from after one on. */
  List<LeaseView> list(String namespace, String prefix, String after, long now) {
    boolean fromPrefix = after.compareTo(prefix) < 0 || after.isEmpty();
    return find(namespace).stream()
        .flatMap(s -> s.keys.tailMap(fromPrefix ? prefix : after, fromPrefix).values().stream())
        .takeWhile(key -> key.name.key().startsWith(prefix))
        .flatMap(key -> key.views(now).stream())
        .toList();
  }
}
