package dev.plinth.config.core;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The schemas of all configs of this node's shards, for calls that check content before they queue
 * for the shard. What they find may be old by then, so the shard compares the revision.
 */
public final class SchemaIndex {
  /**
   * A schema and the revision that set it.
   *
   * @param text empty for none
   */
  public record SchemaVersion(long revision, String text) {
    static final SchemaVersion NONE = new SchemaVersion(0, "");
  }

  private final Map<ConfigName, SchemaVersion> schemas = new ConcurrentHashMap<>();

  public SchemaVersion of(ConfigName name) {
    return schemas.getOrDefault(name, SchemaVersion.NONE);
  }

  void put(ConfigName name, SchemaVersion schema) {
    schemas.put(name, schema);
  }

  /** Of a shard that leaves; one that came back meanwhile keeps its own. */
  void remove(ConfigName name, SchemaVersion schema) {
    schemas.remove(name, schema);
  }
}
