package dev.plinth.config.core;

import dev.plinth.shards.RowReader;
import dev.plinth.shards.RowWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The rows of configs. Of a config: its group, its newest revision, and the one that set its
 * schema. Of a revision: type, hash, signature and key, staleness, schema, who, why, when, and the
 * content. Of a group: the last generation, and the release that agents have that no rollout under
 * way has reached. Those of rollouts are in {@link RolloutRows}.
 *
 * <pre>
 * config/c/default/limits:    v1 limits 2 1
 * config/s/default/limits:    v1 %7B%22type%22%3A%22object%22%7D
 * config/r/default/limits/2:  v1 application%2Fjson 9f86... - - -1 1 olga more 1767225600000 eyJ9
 * config/g/default/limits:    v1 3 3 1
 *                             revision limits 2
 * </pre>
 */
final class ConfigRows {
  static final String CONFIGS = "config/c/";
  static final String SCHEMAS = "config/s/";
  static final String REVISIONS = "config/r/";
  static final String GROUPS = "config/g/";
  static final String ROLLOUTS = "config/o/";

  private static final long NO_STALENESS = -1;

  private ConfigRows() {}

  static String keyOf(ConfigDocument document) {
    return CONFIGS + document.path();
  }

  static byte[] encode(ConfigDocument document) {
    return RowWriter.row()
        .word(document.group.name)
        .number(document.newest)
        .number(document.schemaRevision)
        .bytes();
  }

  static String schemaKey(ConfigDocument document) {
    return SCHEMAS + document.path();
  }

  static byte[] schema(ConfigDocument document) {
    return RowWriter.row().text(document.schema).bytes();
  }

  static String keyOf(ConfigDocument document, long revision) {
    return REVISIONS + document.path() + "/" + revision;
  }

  static byte[] encode(Revision revision) {
    RevisionContent content = revision.content();
    return RowWriter.row()
        .text(content.type())
        .word(content.hash())
        .bytes(content.signature())
        .text(content.keyId())
        .number(content.maxStaleness().map(Duration::toMillis).orElse(NO_STALENESS))
        .number(revision.schema())
        .text(revision.actor())
        .text(revision.comment())
        .number(revision.created().toEpochMilli())
        .bytes(content.bytes())
        .bytes();
  }

  static Revision revision(RowReader row, long number) {
    String type = row.text();
    byte[] hash = HexFormat.of().parseHex(row.word());
    byte[] signature = row.bytes();
    String keyId = row.text();
    long staleness = row.number();
    long schema = row.number();
    String actor = row.text();
    String comment = row.text();
    Instant created = row.instant();
    RevisionContent content =
        new RevisionContent(
            type,
            row.bytes(),
            hash,
            signature,
            keyId,
            staleness == NO_STALENESS
                ? Optional.empty()
                : Optional.of(Duration.ofMillis(staleness)));
    return new Revision(number, content, actor, comment, created, schema);
  }

  static String keyOf(ConfigGroup group) {
    return GROUPS + group.path();
  }

  static byte[] encode(ConfigGroup group) {
    RowWriter row =
        RowWriter.row()
            .number(group.generation)
            .number(group.stable.generation())
            .number(group.stable.revisions().size());
    write(group.stable, row);
    return row.bytes();
  }

  static void group(RowReader row, ConfigGroup group) {
    group.generation = row.number();
    long stable = row.number();
    group.stable = new Release(stable, revisions(row, row.integer()));
  }

  static void write(Release release, RowWriter row) {
    for (Map.Entry<String, Long> each : release.revisions().entrySet()) {
      row.nextLine("revision").word(each.getKey()).number(each.getValue());
    }
  }

  static SortedMap<String, Long> revisions(RowReader row, int count) {
    SortedMap<String, Long> revisions = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      row.nextLine();
      revisions.put(row.word(), row.number());
    }
    return revisions;
  }
}
