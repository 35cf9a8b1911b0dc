package dev.plinth.config.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The configs, groups and agents of a namespace. */
final class ConfigNamespace {
  static final int MAX_CONFIGS = 1000;
  static final long MAX_BYTES = 64L << 20;
  static final int MAX_AGENTS = 20_000;
  static final int MAX_SUBSCRIPTIONS = 200_000;

  final String name;
  final TreeMap<String, ConfigDocument> documents = new TreeMap<>();
  final TreeMap<String, ConfigGroup> groups = new TreeMap<>();
  final TreeMap<String, Agent> agents = new TreeMap<>();

  /** Agents by the configs that they follow and that do not exist yet. */
  final Map<String, Set<Agent>> awaited = new HashMap<>();

  /** Of all revisions that are kept. */
  long bytes;

  /** Configs that agents follow, each counted for each of them. */
  int subscriptions;

  ConfigNamespace(String name) {
    this.name = name;
  }

  boolean isUnused() {
    return documents.isEmpty() && agents.isEmpty();
  }

  ConfigGroup group(String group) {
    return groups.computeIfAbsent(group, key -> new ConfigGroup(this, key));
  }

  void await(String config, Agent agent) {
    awaited.computeIfAbsent(config, key -> new LinkedHashSet<>()).add(agent);
  }

  void awaitNoMore(String config, Agent agent) {
    Set<Agent> waiting = awaited.get(config);
    if (waiting != null && waiting.remove(agent) && waiting.isEmpty()) {
      awaited.remove(config);
    }
  }

  void admitDocument() {
    if (documents.size() >= MAX_CONFIGS) {
      throw full("configs", "a namespace may have no more than " + MAX_CONFIGS + " configs");
    }
  }

  void admitBytes(long more) {
    if (bytes + more > MAX_BYTES) {
      throw full("config bytes", "a namespace may keep no more than " + MAX_BYTES + " bytes");
    }
  }

  /**
   * @param freed what it follows now and would no longer
   */
  void admitAgent(boolean isNew, int follows, int freed) {
    if (isNew && agents.size() >= MAX_AGENTS) {
      throw full("agents", "a namespace may have no more than " + MAX_AGENTS + " agents");
    }
    if (subscriptions - freed + follows > MAX_SUBSCRIPTIONS) {
      throw full(
          "subscriptions",
          "agents of a namespace may follow no more than " + MAX_SUBSCRIPTIONS + " configs");
    }
  }

  private Failure full(String what, String why) {
    return new Failure.Exhausted(
        ErrorReason.ERROR_REASON_QUOTA_EXCEEDED,
        what + " of namespace " + name,
        why,
        Duration.ofSeconds(10));
  }
}
