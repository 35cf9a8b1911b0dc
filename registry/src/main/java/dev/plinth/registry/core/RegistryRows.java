package dev.plinth.registry.core;

import dev.plinth.shards.RowReader;
import dev.plinth.shards.RowWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The rows of the registry. Of a session: client, ttl, incarnation, state, since when. Of a member:
 * incarnation, session, version, state, since when, weight, how many labels and endpoints, and
 * these on lines of their own; of an ended one its cause and who did it. Of an override: who, why,
 * when. That a member is SUSPECT is said by the row of its session.
 *
 * <pre>
 * registry/s/default/s-1abc:     v1 web-7 15000 4194304 OPEN 1767225600000
 * registry/m/default/web/web-7:  v1 8388608 s-1abc 1 ALIVE 1767225600000 100 1 1
 *                                label zone a
 *                                endpoint grpc 10.0.0.7%3A8080
 * registry/m/default/web/web-6:  v1 8388607 s-1abb 4 EXPIRED 1767225600000 - -
 * registry/o/default/web/web-7:  v1 OUT_OF_SERVICE olga bad+disk 1767225600000
 * </pre>
 */
final class RegistryRows {
  static final String SESSIONS = "registry/s/";
  static final String MEMBERS = "registry/m/";
  static final String OVERRIDES = "registry/o/";

  private static final String ALIVE = "ALIVE";
  private static final String DRAINING = "DRAINING";
  private static final String OUT_OF_SERVICE = "OUT_OF_SERVICE";

  private RegistryRows() {}

  static String keyOf(MemberSession session) {
    return SESSIONS + session.key.namespace() + "/" + session.key.id();
  }

  static byte[] encode(MemberSession session) {
    return RowWriter.row()
        .text(session.client)
        .millis(session.ttl)
        .number(session.key.incarnation())
        .word(session.state)
        .number(session.since.toEpochMilli())
        .bytes();
  }

  static MemberSession session(RowReader row) {
    String[] path = row.key().split("/", 2);
    String client = row.text();
    Duration ttl = row.millis();
    MemberSession session =
        new MemberSession(new SessionKey(path[0], path[1], row.number()), client, ttl);
    session.state = MemberSession.State.valueOf(row.word());
    session.since = row.instant();
    return session;
  }

  static String keyOf(Member member) {
    return MEMBERS + member.name.path();
  }

  static byte[] encode(Member member) {
    RowWriter row =
        RowWriter.row().number(member.incarnation).word(member.sessionId).number(member.version);
    if (member.end != null) {
      return row.word(member.end.cause())
          .number(member.since.toEpochMilli())
          .text(member.end.actor())
          .text(member.end.reason())
          .bytes();
    }
    row.word(member.draining ? DRAINING : ALIVE).number(member.since.toEpochMilli());
    return write(member.attributes, row).bytes();
  }

  /** What they take in a row. */
  static int bytes(MemberAttributes attributes) {
    return write(attributes, RowWriter.row()).bytes().length;
  }

  private static RowWriter write(MemberAttributes attributes, RowWriter row) {
    row.number(attributes.weight())
        .number(attributes.labels().size())
        .number(attributes.endpoints().size());
    attributes.labels().forEach((key, value) -> row.nextLine("label").text(key).text(value));
    attributes
        .endpoints()
        .forEach(
            endpoint -> row.nextLine("endpoint").text(endpoint.name()).text(endpoint.address()));
    return row;
  }

  static Member member(RowReader row, MemberName name, MemberGroup group) {
    Member member = new Member(name, row.number(), row.word(), group);
    member.version = row.number();
    String state = row.word();
    member.since = row.instant();
    if (state.equals(ALIVE) || state.equals(DRAINING)) {
      member.draining = state.equals(DRAINING);
      member.attributes = attributes(row);
    } else {
      member.end = new MemberEnd(MemberEnd.Cause.valueOf(state), row.text(), row.text());
      member.attributes = MemberAttributes.NONE;
    }
    return member;
  }

  private static MemberAttributes attributes(RowReader row) {
    int weight = row.integer();
    int labelCount = row.integer();
    int endpointCount = row.integer();
    Map<String, String> labels = new HashMap<>();
    for (int i = 0; i < labelCount; i++) {
      row.nextLine();
      labels.put(row.text(), row.text());
    }
    List<MemberEndpoint> endpoints = new ArrayList<>();
    for (int i = 0; i < endpointCount; i++) {
      row.nextLine();
      endpoints.add(new MemberEndpoint(row.text(), row.text()));
    }
    return new MemberAttributes(labels, endpoints, weight);
  }

  static String overrideKey(MemberName name) {
    return OVERRIDES + name.path();
  }

  static byte[] encode(MemberOverride override) {
    return RowWriter.row()
        .word(OUT_OF_SERVICE)
        .text(override.actor())
        .text(override.reason())
        .number(override.at().toEpochMilli())
        .bytes();
  }

  static MemberOverride override(RowReader row) {
    row.word();
    String actor = row.text();
    String reason = row.text();
    Instant at = row.instant();
    return new MemberOverride(actor, reason, at);
  }
}
