package dev.plinth.registry.grpc;

import static dev.plinth.testkit.call.FieldTable.NO_DURATION;
import static dev.plinth.testkit.call.FieldTable.names;
import static dev.plinth.testkit.call.FieldTable.texts;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.FieldMask;
import com.google.protobuf.Message;
import com.google.protobuf.util.Durations;
import dev.plinth.registry.v1.DeregisterRequest;
import dev.plinth.registry.v1.Endpoint;
import dev.plinth.registry.v1.ExplainMemberRequest;
import dev.plinth.registry.v1.GetMemberRequest;
import dev.plinth.registry.v1.KeepAliveRequest;
import dev.plinth.registry.v1.LabelFilter;
import dev.plinth.registry.v1.ListMembersRequest;
import dev.plinth.registry.v1.Member;
import dev.plinth.registry.v1.OpenSessionRequest;
import dev.plinth.registry.v1.OpenSessionResponse;
import dev.plinth.registry.v1.RegisterRequest;
import dev.plinth.registry.v1.ReleaseExpiryHoldRequest;
import dev.plinth.registry.v1.SetOverrideRequest;
import dev.plinth.registry.v1.UpdateMemberRequest;
import dev.plinth.registry.v1.WatchMembersRequest;
import dev.plinth.testkit.call.FieldPaths;
import dev.plinth.testkit.call.FieldTable;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Every field of every request, with values that it must not have. */
final class BadFields {
  private static final String OF_THE_MAP = "a label is refused by the name of the map";
  static final Map<String, String> CANNOT_BE_BAD =
      Map.ofEntries(
          Map.entry("KeepAliveRequest.seq", "comes back as it is"),
          Map.entry("RegisterRequest.replace", "a flag"),
          Map.entry("RegisterRequest.labels.key", OF_THE_MAP),
          Map.entry("RegisterRequest.labels.value", OF_THE_MAP),
          Map.entry("UpdateMemberRequest.labels.key", OF_THE_MAP),
          Map.entry("UpdateMemberRequest.labels.value", OF_THE_MAP),
          Map.entry("UpdateMemberRequest.draining", "a flag"),
          Map.entry("DeregisterRequest.force", "a flag"),
          Map.entry("ListMembersRequest.filters.absent", "a flag"),
          Map.entry("WatchMembersRequest.filters.absent", "a flag"));

  private final FieldTable table = new FieldTable();

  private BadFields() {}

  static List<Message> good(RegistryCalls calls, OpenSessionResponse session, Member member) {
    LabelFilter filter = LabelFilter.newBuilder().setKey("zone").addValues("a").build();
    return List.of(
        calls.opening(RegistryCalls.LONG).build(),
        KeepAliveRequest.newBuilder()
            .setNamespace(calls.namespace)
            .setSessionId(session.getSessionId())
            .setIncarnation(session.getIncarnation())
            .build(),
        calls.beating(session).build(),
        calls.registering(session, "b").putLabels("zone", "a").build(),
        calls
            .updating(member, "labels", "endpoints", "weight", "draining")
            .addEndpoints(Endpoint.newBuilder().setName("grpc").setAddress("x"))
            .build(),
        calls.deregistering(member).setName("none").build(),
        GetMemberRequest.newBuilder()
            .setNamespace(calls.namespace)
            .setGroup(member.getGroup())
            .setName(member.getName())
            .build(),
        calls.listing().addFilters(filter).build(),
        calls.watching().addFilters(filter).build(),
        calls.overriding("a").build(),
        ReleaseExpiryHoldRequest.newBuilder()
            .setNamespace(calls.namespace)
            .setGroup(member.getGroup())
            .build(),
        ExplainMemberRequest.newBuilder()
            .setNamespace(calls.namespace)
            .setGroup(member.getGroup())
            .setName(member.getName())
            .build(),
        calls.closing(session).build());
  }

  static FieldTable of(List<Message> good) {
    BadFields fields = new BadFields();
    for (Message request : good) {
      fields.table.inCommon(request);
      fields.named(request);
      fields.sessions(request);
      fields.members(request);
      fields.reads(request);
    }
    return fields.table;
  }

  /** Fields that several requests have. */
  private void named(Message request) {
    boolean optional =
        request instanceof ListMembersRequest || request instanceof WatchMembersRequest;
    if (has(request, "group")) {
      rows(request, "group", "No", "-a", "a/b", "x".repeat(64), "a\nb");
      if (!optional) {
        rows(request, "group", "");
      }
    }
    if (has(request, "name")) {
      rows(request, "name", names(128));
    }
    if (has(request, "session_id")) {
      rows(request, "session_id", names(64));
    }
    if (has(request, "incarnation")) {
      rows(request, "incarnation", 0L, -1L);
    }
    if (optional) {
      rows(request, "filters", Collections.nCopies(17, filter()));
      rows(request, "filters[0].key", names(63));
      rows(
          request,
          "filters[0].values",
          Collections.nCopies(33, "a"),
          List.of("a", "a\nb"),
          List.of("x".repeat(256)));
    }
  }

  private static LabelFilter filter() {
    return LabelFilter.newBuilder().setKey("zone").build();
  }

  private static boolean has(Message request, String field) {
    return request.getDescriptorForType().findFieldByName(field) != null;
  }

  private void sessions(Message request) {
    if (request instanceof OpenSessionRequest) {
      rows(request, "client", names(128));
      rows(request, "ttl", Durations.fromMillis(999), Durations.fromHours(2), NO_DURATION);
    }
  }

  private void members(Message request) {
    if (request instanceof RegisterRequest || request instanceof UpdateMemberRequest) {
      rows(request, "weight", -1, 1_000_001);
      rows(request, "endpoints", Collections.nCopies(17, endpoint("grpc")));
      rows(request, "endpoints[0].name", names(63));
      rows(request, "endpoints[0].address", names(255));
      Message two = FieldPaths.with(request, "endpoints", List.of(endpoint("a"), endpoint("b")));
      rows(two, "endpoints[1].name", "a");
      Map<String, String> many = new HashMap<>();
      Map<String, String> large = new HashMap<>();
      for (int i = 0; i < 33; i++) {
        many.put("k" + i, "");
        large.put("k" + i % 20, "ü".repeat(150));
      }
      for (Map<String, String> bad :
          List.of(
              many,
              large,
              Map.of("", "x"),
              Map.of("x".repeat(64), "x"),
              Map.of("a\nb", "x"),
              Map.of("a", "x".repeat(256)),
              Map.of("a", "x\ny"))) {
        rows(request, "labels", labels(request, bad));
      }
    }
    if (request instanceof RegisterRequest) {
      rows(request, "session_incarnation", 0L, -1L);
    } else if (request instanceof UpdateMemberRequest) {
      rows(request, "expected_version", -1L);
      rows(request, "update_mask", FieldPaths.ABSENT, mask("state"), mask("weight", ""));
    } else if (request instanceof DeregisterRequest) {
      rows(request, "actor", "olga");
      rows(request, "reason", "why");
      Message forced = FieldPaths.with(request, "force", true);
      rows(FieldPaths.with(forced, "actor", "olga"), "session_id", "s-1");
      Message free = FieldPaths.with(forced, "session_id", FieldPaths.ABSENT);
      rows(free, "actor", names(128));
      rows(FieldPaths.with(free, "actor", "olga"), "reason", texts(256));
    } else if (request instanceof SetOverrideRequest) {
      rows(request, "override", 99);
      rows(request, "actor", names(128));
      rows(request, "reason", texts(256));
    }
  }

  private static Endpoint endpoint(String name) {
    return Endpoint.newBuilder().setName(name).setAddress("x").build();
  }

  private static FieldMask mask(String... paths) {
    return FieldMask.newBuilder().addAllPaths(List.of(paths)).build();
  }

  /** Labels as the field of this kind of request. */
  private static Object labels(Message request, Map<String, String> labels) {
    Message with =
        request instanceof RegisterRequest
            ? RegisterRequest.newBuilder().putAllLabels(labels).build()
            : UpdateMemberRequest.newBuilder().putAllLabels(labels).build();
    FieldDescriptor field = with.getDescriptorForType().findFieldByName("labels");
    return with.getField(field);
  }

  private void reads(Message request) {
    if (request instanceof ListMembersRequest) {
      rows(request, "page_size", -1, 1001);
      rows(request, "page_token", "x", "m2.a/b", "m1.a", "m1./b", "m1.a/" + "x".repeat(999));
    }
  }

  private void rows(Message request, String path, Object... values) {
    table.rows(request, path, values);
  }
}
