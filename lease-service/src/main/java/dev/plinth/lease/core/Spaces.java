package dev.plinth.lease.core;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The namespaces of a shard with their keys. A key that nobody holds or wants is not here, nor is a
 * namespace without a key, a session or a policy of its own.
 */
final class Spaces {
  private final Map<String, Space> spaces = new HashMap<>();

  /** Keys that were looked at to make pages: what they cost. */
  private long keysOnPages;

  /** For one who only looks: a look leaves no trace. */
  Optional<Space> find(String namespace) {
    return Optional.ofNullable(spaces.get(namespace));
  }

  Space findOrMake(String namespace) {
    return spaces.computeIfAbsent(namespace, Space::new);
  }

  Policy policyOf(String namespace) {
    Space space = spaces.get(namespace);
    return space == null ? Policy.PLATFORM : space.policy();
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
    if (key.isFree() && key.queue.isEmpty()) {
      key.space.keys.remove(key.name.key(), key);
      forgetIfUnused(key.space);
    }
  }

  /** A namespace that was touched once must not stay for ever. */
  void forgetIfUnused(Space space) {
    if (space.isUnused()) {
      spaces.remove(space.name, space);
    }
  }

  int size() {
    return spaces.size();
  }

  void forEach(Consumer<Space> action) {
    spaces.values().forEach(action);
  }

  /**
   * A page of a namespace's holds in the order of their keys, then tokens. It visits no more holds
   * than the page has room for, times the few that a filter may leave out.
   */
  LeasePage page(LeasePage.Request request, long now) {
    LeasePage.Builder page = new LeasePage.Builder(request, now);
    Space space = spaces.get(request.namespace());
    if (space != null) {
      for (LeaseKey key : space.keys.tailMap(request.firstKey(), true).values()) {
        keysOnPages++;
        if (!key.name.key().startsWith(request.prefix()) || !page.add(key)) {
          break;
        }
      }
    }
    return page.build();
  }

  long keysOnPages() {
    return keysOnPages;
  }

  /** All holds of a namespace whose keys begin so, in the order of their keys. */
  List<LeaseView> list(String namespace, String prefix, long now) {
    return find(namespace).stream()
        .flatMap(space -> space.keys.tailMap(prefix, true).values().stream())
        .takeWhile(key -> key.name.key().startsWith(prefix))
        .flatMap(key -> key.views(now, Integer.MAX_VALUE).stream())
        .toList();
  }
}
