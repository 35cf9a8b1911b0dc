package dev.plinth.config.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** All that a shard knows of configs, and what its parts share. */
final class ConfigTable {
  final ConfigEvents events;
  final SchemaIndex schemas;

  /** Of everything that is given out here. */
  final long epoch;

  private final InstantSource clock;
  private final Map<String, ConfigNamespace> namespaces = new TreeMap<>();

  ConfigTable(InstantSource clock, ConfigEvents events, SchemaIndex schemas, long epoch) {
    this.clock = clock;
    this.events = events;
    this.schemas = schemas;
    this.epoch = epoch;
  }

  /** As it is stored. */
  Instant time() {
    return clock.instant().truncatedTo(ChronoUnit.MILLIS);
  }

  ReleaseOrder order(Release release) {
    return new ReleaseOrder(epoch, release.generation());
  }

  Collection<ConfigNamespace> namespaces() {
    return namespaces.values();
  }

  Optional<ConfigNamespace> find(String namespace) {
    return Optional.ofNullable(namespaces.get(namespace));
  }

  ConfigNamespace namespace(String namespace) {
    return namespaces.computeIfAbsent(namespace, ConfigNamespace::new);
  }

  void forgetIfUnused(ConfigNamespace namespace) {
    if (namespace.isUnused()) {
      namespaces.remove(namespace.name);
    }
  }

  Optional<ConfigDocument> find(ConfigName name) {
    return find(name.namespace()).map(space -> space.documents.get(name.config()));
  }

  ConfigDocument require(ConfigName name) {
    return find(name)
        .orElseThrow(
            () ->
                new Failure.Missing(
                    ErrorReason.ERROR_REASON_CONFIG_UNKNOWN,
                    new Failure.Resource("config", name.path())));
  }

  /** One that has a config. */
  ConfigGroup require(GroupName name) {
    return find(name.namespace())
        .map(space -> space.groups.get(name.group()))
        .orElseThrow(
            () ->
                new Failure.Missing(
                    ErrorReason.ERROR_REASON_CONFIG_UNKNOWN,
                    new Failure.Resource("group", name.path())));
  }
}
