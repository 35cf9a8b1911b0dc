package dev.plinth.config.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import java.util.TreeMap;

/** A config: its revisions that are kept, and the schema that the next one must fit. */
final class ConfigDocument {
  final String name;
  final ConfigGroup group;
  final TreeMap<Long, Revision> revisions = new TreeMap<>();

  /** The newest revision's number. */
  long newest;

  /** Of the revisions that are kept. */
  long bytes;

  /** Empty if there is none. */
  String schema = "";

  /** The revision that set it. */
  long schemaRevision;

  ConfigDocument(String name, ConfigGroup group) {
    this.name = name;
    this.group = group;
  }

  String path() {
    return group.namespace.name + "/" + name;
  }

  void add(Revision revision) {
    revisions.put(revision.number(), revision);
    bytes += revision.bytes();
    group.namespace.bytes += revision.bytes();
  }

  void drop(Revision revision) {
    revisions.remove(revision.number());
    bytes -= revision.bytes();
    group.namespace.bytes -= revision.bytes();
  }

  /**
   * @param number the newest if 0
   */
  Revision require(long number) {
    Revision revision = revisions.get(number == 0 ? newest : number);
    if (revision == null) {
      throw new Failure.Missing(
          ErrorReason.ERROR_REASON_REVISION_UNKNOWN,
          new Failure.Resource("revision", path() + "/" + number));
    }
    return revision;
  }
}
