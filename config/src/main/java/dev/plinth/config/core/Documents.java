package dev.plinth.config.core;

import dev.plinth.config.core.SchemaIndex.SchemaVersion;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.ExpectedVersion;
import dev.plinth.shards.Tx;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The configs of a shard and their revisions. */
public final class Documents {
  static final int MAX_REVISIONS = 50;
  static final long MAX_BYTES = 4L << 20;

  private final ConfigTable table;
  private final Agents agents;

  Documents(ConfigTable table, Agents agents) {
    this.table = table;
    this.agents = agents;
  }

  /** Makes the next revision, which no agent gets by that. */
  public RevisionView put(PutSpec spec, Tx tx) {
    Optional<ConfigDocument> found = check(spec);
    ConfigDocument document = found.orElseGet(() -> create(spec));
    Revision revision = revision(spec, document);
    spec.schema().ifPresent(text -> setSchema(document, text, revision.number(), tx));
    document.newest = revision.number();
    document.add(revision);
    tx.put(ConfigRows.keyOf(document), ConfigRows.encode(document));
    tx.put(ConfigRows.keyOf(document, revision.number()), ConfigRows.encode(revision));
    prune(document, tx);
    if (found.isEmpty()) {
      agents.created(document);
    }
    table.events.put();
    return view(document, revision);
  }

  /** What {@link #put} would make; nothing is changed. */
  public RevisionView validate(PutSpec spec) {
    Optional<ConfigDocument> found = check(spec);
    if (found.isPresent()) {
      return view(found.get(), revision(spec, found.get()));
    }
    Revision first = revision(spec, new ConfigDocument(spec.name().config(), null));
    return new RevisionView(spec.name(), groupOf(spec), first, spec.schema().orElse(""));
  }

  private Optional<ConfigDocument> check(PutSpec spec) {
    Optional<ConfigDocument> found = table.find(spec.name());
    String what = "config " + spec.name().path();
    ExpectedVersion.check(
        what, Optional.of(spec.expected()), found.map(document -> document.newest).orElse(0L));
    if (found.isPresent()) {
      checkUnchanged(found.get(), spec);
    }
    table
        .find(spec.name().namespace())
        .ifPresent(
            space -> {
              space.admitBytes(spec.content().bytes().length);
              if (found.isEmpty()) {
                space.admitDocument();
                ConfigGroup group = space.groups.get(groupOf(spec));
                if (group != null) {
                  group.admitDocument();
                }
              }
            });
    return found;
  }

  private static void checkUnchanged(ConfigDocument document, PutSpec spec) {
    if (!spec.group().isEmpty() && !spec.group().equals(document.group.name)) {
      throw new Failure.Forbidden(
          ErrorReason.ERROR_REASON_DEFINITION_FIXED,
          "config " + document.path(),
          "config %s belongs to group %s (asked for: %s)"
              .formatted(document.path(), document.group.name, spec.group()),
          Map.of("config", document.path(), "current", document.group.name, "asked", spec.group()));
    }
    if (spec.schema().isEmpty() && spec.checkedWith() != document.schemaRevision) {
      throw new Failure.Conflict(
          ErrorReason.ERROR_REASON_REVISION_CONFLICT,
          "the schema of config %s was set by revision %d (checked with that of: %d)"
              .formatted(document.path(), document.schemaRevision, spec.checkedWith()),
          Map.of(
              "current", String.valueOf(document.schemaRevision),
              "expected", String.valueOf(spec.checkedWith())));
    }
  }

  private static String groupOf(PutSpec spec) {
    return spec.group().isEmpty() ? spec.name().config() : spec.group();
  }

  private ConfigDocument create(PutSpec spec) {
    ConfigNamespace space = table.namespace(spec.name().namespace());
    return add(space, spec.name().config(), groupOf(spec));
  }

  ConfigDocument add(ConfigNamespace space, String name, String groupName) {
    ConfigGroup group = space.group(groupName);
    ConfigDocument document = new ConfigDocument(name, group);
    space.documents.put(name, document);
    group.documents.put(name, document);
    table.events.configs(1);
    return document;
  }

  private Revision revision(PutSpec spec, ConfigDocument document) {
    long number = document.newest + 1;
    long schema = document.schemaRevision;
    if (spec.schema().isPresent()) {
      schema = spec.schema().get().isEmpty() ? 0 : number;
    }
    return new Revision(number, spec.content(), spec.actor(), spec.comment(), table.time(), schema);
  }

  private void setSchema(ConfigDocument document, String text, long revision, Tx tx) {
    document.schema = text;
    document.schemaRevision = text.isEmpty() ? 0 : revision;
    if (text.isEmpty()) {
      tx.delete(ConfigRows.schemaKey(document));
    } else {
      tx.put(ConfigRows.schemaKey(document), ConfigRows.schema(document));
    }
    publish(document);
  }

  /** For calls that check content before they come here. */
  void publish(ConfigDocument document) {
    table.schemas.put(nameOf(document), schemaOf(document));
  }

  private static SchemaVersion schemaOf(ConfigDocument document) {
    return new SchemaVersion(document.schemaRevision, document.schema);
  }

  private static ConfigName nameOf(ConfigDocument document) {
    return new ConfigName(document.group.namespace.name, document.name);
  }

  /** Drops the oldest revisions that nobody may need, until what is kept is within its bounds. */
  private static void prune(ConfigDocument document, Tx tx) {
    Set<Long> needed = document.group.needed(document.name);
    needed.add(document.newest);
    Iterator<Revision> oldest = List.copyOf(document.revisions.values()).iterator();
    while (oldest.hasNext()
        && (document.revisions.size() > MAX_REVISIONS || document.bytes > MAX_BYTES)) {
      Revision revision = oldest.next();
      if (!needed.contains(revision.number())) {
        document.drop(revision);
        tx.delete(ConfigRows.keyOf(document, revision.number()));
      }
    }
  }

  /**
   * @param revision the newest if 0
   */
  public RevisionView get(ConfigName name, long revision) {
    ConfigDocument document = table.require(name);
    return view(document, document.require(revision));
  }

  private static RevisionView view(ConfigDocument document, Revision revision) {
    return new RevisionView(nameOf(document), document.group.name, revision, document.schema);
  }

  /** Configs behind a name, in order. */
  public List<ConfigView> list(String namespace, String after, int size) {
    return table.find(namespace).stream()
        .flatMap(space -> space.documents.tailMap(after, false).values().stream())
        .limit(size)
        .map(Documents::view)
        .toList();
  }

  private static ConfigView view(ConfigDocument document) {
    ConfigGroup group = document.group;
    return new ConfigView(
        nameOf(document),
        group.name,
        document.newest,
        group.stable.revisions().getOrDefault(document.name, 0L),
        group.stable.generation(),
        group.active == null ? 0 : group.active.target.generation());
  }

  /** Revisions below a number, the newest first. */
  public List<RevisionView> revisions(ConfigName name, long below, int size) {
    ConfigDocument document = table.require(name);
    return document.revisions.headMap(below, false).descendingMap().values().stream()
        .limit(size)
        .map(revision -> view(document, revision))
        .toList();
  }

  void close() {
    for (ConfigNamespace space : table.namespaces()) {
      table.events.configs(-space.documents.size());
      space
          .documents
          .values()
          .forEach(document -> table.schemas.remove(nameOf(document), schemaOf(document)));
    }
  }
}
