package dev.plinth.registry.grpc;

import dev.plinth.registry.core.DeregisterResult;
import dev.plinth.registry.core.LabelFilter;
import dev.plinth.registry.core.MemberEnd;
import dev.plinth.registry.core.MemberEndpoint;
import dev.plinth.registry.core.MemberName;
import dev.plinth.registry.core.MemberState;
import dev.plinth.registry.core.MemberView;
import dev.plinth.registry.core.SessionKey;
import dev.plinth.registry.v1.DeregisterResponse;
import dev.plinth.registry.v1.EndCause;
import dev.plinth.registry.v1.Endpoint;
import dev.plinth.registry.v1.LostMember;
import dev.plinth.registry.v1.Member;
import dev.plinth.registry.v1.Override;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.call.WireEnum;
import dev.plinth.server.failure.Failure;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What requests have in common, checked, and the core's terms on the wire. */
public final class RegistryWire {
  static final int MAX_NAME = 128;
  static final int MAX_REASON = 256;
  static final int MAX_WEIGHT = 1_000_000;
  private static final int MAX_SESSION = 64;
  private static final int MAX_LABELS = 32;
  private static final int MAX_LABEL_BYTES = 4096;
  private static final int MAX_KEY = 63;
  private static final int MAX_VALUE = 255;
  private static final int MAX_ENDPOINTS = 16;
  private static final int MAX_FILTERS = 16;
  private static final int MAX_FILTER_VALUES = 32;

  static final WireEnum<MemberEnd.Cause, EndCause> CAUSES =
      new WireEnum<>(MemberEnd.Cause.class, EndCause.class, "END_CAUSE_");
  static final WireEnum<DeregisterResult, DeregisterResponse.Outcome> DEREGISTERED =
      new WireEnum<>(DeregisterResult.class, DeregisterResponse.Outcome.class, "OUTCOME_");
  private static final WireEnum<MemberState, dev.plinth.registry.v1.MemberState> STATES =
      new WireEnum<>(MemberState.class, dev.plinth.registry.v1.MemberState.class, "MEMBER_STATE_");

  private RegistryWire() {}

  static SessionKey session(String namespace, String id, long incarnation) {
    return session(namespace, id, "incarnation", incarnation);
  }

  static SessionKey session(String namespace, String id, String field, long incarnation) {
    return new SessionKey(
        namespace,
        FieldChecks.name("session_id", id, MAX_SESSION),
        incarnation(field, incarnation));
  }

  public static long incarnation(String field, long value) {
    if (value <= 0) {
      throw Failure.Invalid.field(field, value, "an incarnation as told, above 0");
    }
    return value;
  }

  /** The session that a member is to belong to. */
  static String sessionId(String value) {
    return FieldChecks.name("session_id", value, MAX_SESSION);
  }

  static String group(String value) {
    return FieldChecks.namespace("group", FieldChecks.name("group", value, MAX_KEY));
  }

  /** Empty for all groups. */
  static String anyGroup(String value) {
    return value.isEmpty() ? value : group(value);
  }

  static MemberName name(String namespace, String group, String member) {
    return new MemberName(namespace, group(group), FieldChecks.name("name", member, MAX_NAME));
  }

  static Map<String, String> labels(Map<String, String> labels) {
    return labels("labels", labels);
  }

  /**
   * @param field their path in the request
   */
  public static Map<String, String> labels(String field, Map<String, String> labels) {
    return texts(field, labels, MAX_LABELS, MAX_LABEL_BYTES);
  }

  /** A map of the caller's own, by its field's name. */
  static Map<String, String> texts(
      String field, Map<String, String> texts, int most, int mostBytes) {
    int bytes = 0;
    for (var text : texts.entrySet()) {
      FieldChecks.name(field, text.getKey(), MAX_KEY);
      FieldChecks.optionalName(field, text.getValue(), MAX_VALUE);
      bytes += bytes(text.getKey()) + bytes(text.getValue());
    }
    if (texts.size() > most || bytes > mostBytes) {
      throw Failure.Invalid.field(
          field,
          texts.size() + " " + field + " of " + bytes + " bytes",
          "at most " + most + " " + field + " and " + mostBytes + " bytes");
    }
    return texts;
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  static List<MemberEndpoint> endpoints(List<Endpoint> endpoints) {
    atMost("endpoints", endpoints.size(), MAX_ENDPOINTS);
    Set<String> names = new HashSet<>();
    List<MemberEndpoint> checked = new ArrayList<>();
    for (int i = 0; i < endpoints.size(); i++) {
      String path = "endpoints[" + i + "].";
      String name = FieldChecks.name(path + "name", endpoints.get(i).getName(), MAX_KEY);
      String address = FieldChecks.name(path + "address", endpoints.get(i).getAddress(), MAX_VALUE);
      if (!names.add(name)) {
        throw Failure.Invalid.field(path + "name", FieldChecks.quoted(name), "each name once");
      }
      checked.add(new MemberEndpoint(name, address));
    }
    return checked;
  }

  static int weight(int value) {
    return FieldChecks.between("weight", value, 0, MAX_WEIGHT);
  }

  static List<LabelFilter> filters(List<dev.plinth.registry.v1.LabelFilter> filters) {
    return filters("filters", filters);
  }

  /**
   * @param field their path in the request
   */
  public static List<LabelFilter> filters(
      String field, List<dev.plinth.registry.v1.LabelFilter> filters) {
    atMost(field, filters.size(), MAX_FILTERS);
    List<LabelFilter> checked = new ArrayList<>();
    for (int i = 0; i < filters.size(); i++) {
      String path = field + "[" + i + "].";
      var filter = filters.get(i);
      atMost(path + "values", filter.getValuesCount(), MAX_FILTER_VALUES);
      filter
          .getValuesList()
          .forEach(value -> FieldChecks.optionalName(path + "values", value, MAX_VALUE));
      checked.add(
          new LabelFilter(
              FieldChecks.name(path + "key", filter.getKey(), MAX_KEY),
              Set.copyOf(new HashSet<>(filter.getValuesList())),
              filter.getAbsent()));
    }
    return checked;
  }

  private static void atMost(String field, int count, int most) {
    if (count > most) {
      throw Failure.Invalid.field(field, count + " of them", "at most " + most);
    }
  }

  static List<LostMember> lost(List<MemberName> names) {
    return names.stream()
        .map(name -> LostMember.newBuilder().setGroup(name.group()).setName(name.member()).build())
        .toList();
  }

  static Member member(MemberView view) {
    Member.Builder member =
        Member.newBuilder()
            .setNamespace(view.name().namespace())
            .setGroup(view.name().group())
            .setName(view.name().member())
            .setIncarnation(view.incarnation())
            .setSessionId(view.sessionId())
            .putAllLabels(view.attributes().labels())
            .setWeight(view.attributes().weight())
            .setState(STATES.of(view.state()))
            .setStateSince(FieldChecks.wire(view.status().since()))
            .setVersion(view.version())
            .setExpiryHeld(view.status().held());
    view.override().ifPresent(set -> member.setOverride(Override.OVERRIDE_OUT_OF_SERVICE));
    view.attributes()
        .endpoints()
        .forEach(
            endpoint ->
                member.addEndpoints(
                    Endpoint.newBuilder().setName(endpoint.name()).setAddress(endpoint.address())));
    return member.build();
  }
}
