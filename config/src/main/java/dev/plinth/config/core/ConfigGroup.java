package dev.plinth.config.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/** Configs that change together: what a rollout is of. */
final class ConfigGroup {
  static final int MAX_CONFIGS = 64;
  static final long MAX_BYTES = 4L << 20;

  /** Rollouts that are kept. */
  static final int MAX_ROLLOUTS = 10;

  final ConfigNamespace namespace;
  final String name;
  final TreeMap<String, ConfigDocument> documents = new TreeMap<>();
  final TreeMap<Long, Rollout> rollouts = new TreeMap<>();

  /** Agents that follow one of its configs at least. */
  final TreeMap<String, GroupAgent> agents = new TreeMap<>();

  /** The last one that was given to anything. */
  long generation;

  /** What agents have that no rollout under way has reached; generation 0 for nothing. */
  Release stable = Release.none();

  /** The rollout that is under way, or null. */
  Rollout active;

  /** The last agent that was looked at to send it what is new; null if all were. */
  String sendAfter;

  ConfigGroup(ConfigNamespace namespace, String name) {
    this.namespace = namespace;
    this.name = name;
  }

  String path() {
    return namespace.name + "/" + name;
  }

  long next() {
    return ++generation;
  }

  void admitDocument() {
    if (documents.size() >= MAX_CONFIGS) {
      throw new Failure.Exhausted(
          ErrorReason.ERROR_REASON_QUOTA_EXCEEDED,
          "configs of group " + path(),
          "a group may have no more than " + MAX_CONFIGS + " configs",
          java.time.Duration.ofSeconds(10));
    }
  }

  /** The content of a config in a release, which is kept as long as agents may be sent it. */
  Revision revision(Release release, String config) {
    return documents.get(config).require(release.revisions().get(config));
  }

  long bytes(Release release) {
    long bytes = 0;
    for (String config : release.revisions().keySet()) {
      bytes += revision(release, config).content().bytes().length;
    }
    return bytes;
  }

  /** Revisions of a config that an agent may be sent, now or by an abort or a rollback. */
  Set<Long> needed(String config) {
    Set<Long> needed = new HashSet<>();
    List<Release> releases =
        active == null
            ? List.of(stable, lastGood())
            : List.of(stable, lastGood(), active.base, active.target);
    for (Release release : releases) {
      Long revision = release.revisions().get(config);
      if (revision != null) {
        needed.add(revision);
      }
    }
    return needed;
  }

  /** What the stable release took the place of. */
  private Release lastGood() {
    Rollout last = rollouts.get(stable.generation());
    return last == null ? Release.none() : last.base;
  }

  Rollout rollout(long asked) {
    Rollout found =
        asked == 0
            ? (rollouts.isEmpty() ? null : rollouts.lastEntry().getValue())
            : rollouts.get(asked);
    if (found == null) {
      throw new Failure.Missing(
          ErrorReason.ERROR_REASON_ROLLOUT_UNKNOWN,
          new Failure.Resource("rollout", path() + "/" + asked));
    }
    return found;
  }
}
