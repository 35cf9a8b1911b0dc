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
final class LeaseNamespaces {
  private final Map<String, LeaseNamespace> spaces = new HashMap<>();

  /** Keys that were looked at to make pages: what they cost. */
  private long keysOnPages;

  /** For one who only looks: a look leaves no trace. */
  Optional<LeaseNamespace> find(String namespace) {
    return Optional.ofNullable(spaces.get(namespace));
  }

  LeaseNamespace findOrMake(String namespace) {
    return spaces.computeIfAbsent(namespace, LeaseNamespace::new);
  }

  NamespacePolicy policyOf(String namespace) {
    LeaseNamespace leaseNamespace = spaces.get(namespace);
    return leaseNamespace == null ? NamespacePolicy.PLATFORM : leaseNamespace.policy();
  }

  Optional<LeaseKey> find(LeaseName name) {
    return find(name.namespace()).map(leaseNamespace -> leaseNamespace.keys.get(name.key()));
  }

  Optional<Hold> find(LeaseName name, long token) {
    return find(name).flatMap(key -> key.hold(token));
  }

  LeaseKey findOrMake(LeaseName name) {
    LeaseNamespace leaseNamespace = findOrMake(name.namespace());
    return leaseNamespace.keys.computeIfAbsent(
        name.key(), key -> new LeaseKey(name, leaseNamespace));
  }

  void forEachKey(Consumer<LeaseKey> action) {
    spaces.values().stream()
        .map(leaseNamespace -> leaseNamespace.keys.values())
        .flatMap(Collection::stream)
        .forEach(action);
  }

  void forgetIfUnused(LeaseKey key) {
    if (key.isFree() && key.queue.isEmpty()) {
      key.leaseNamespace.keys.remove(key.name.key(), key);
      forgetIfUnused(key.leaseNamespace);
    }
  }

  /** A namespace that was touched once must not stay for ever. */
  void forgetIfUnused(LeaseNamespace leaseNamespace) {
    if (leaseNamespace.isUnused()) {
      spaces.remove(leaseNamespace.name, leaseNamespace);
    }
  }

  int size() {
    return spaces.size();
  }

  void forEach(Consumer<LeaseNamespace> action) {
    spaces.values().forEach(action);
  }

  /**
   * A page of a namespace's holds in the order of their keys, then tokens. It visits no more holds
   * than the page has room for, times the few that a filter may leave out.
   */
  LeasePage page(LeasePage.Request request, long now) {
    LeasePage.Builder page = new LeasePage.Builder(request, now);
    LeaseNamespace leaseNamespace = spaces.get(request.namespace());
    if (leaseNamespace != null) {
      for (LeaseKey key : leaseNamespace.keys.tailMap(request.firstKey(), true).values()) {
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
        .flatMap(leaseNamespace -> leaseNamespace.keys.tailMap(prefix, true).values().stream())
        .takeWhile(key -> key.name.key().startsWith(prefix))
        .flatMap(key -> key.views(now, Integer.MAX_VALUE).stream())
        .toList();
  }
}
