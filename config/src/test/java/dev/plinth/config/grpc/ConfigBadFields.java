package dev.plinth.config.grpc;

import static dev.plinth.testkit.call.FieldTable.NO_DURATION;
import static dev.plinth.testkit.call.FieldTable.names;
import static dev.plinth.testkit.call.FieldTable.texts;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.util.Durations;
import dev.plinth.config.v1.DiffRevisionsRequest;
import dev.plinth.config.v1.ExplainAgentRequest;
import dev.plinth.config.v1.FetchSnapshotRequest;
import dev.plinth.config.v1.Gates;
import dev.plinth.config.v1.GetConfigRequest;
import dev.plinth.config.v1.GetRolloutRequest;
import dev.plinth.config.v1.Have;
import dev.plinth.config.v1.HeldSnapshot;
import dev.plinth.config.v1.Hello;
import dev.plinth.config.v1.LabelSelector;
import dev.plinth.config.v1.ListAgentsRequest;
import dev.plinth.config.v1.ListConfigsRequest;
import dev.plinth.config.v1.ListRevisionsRequest;
import dev.plinth.config.v1.PauseRolloutRequest;
import dev.plinth.config.v1.PutConfigRequest;
import dev.plinth.config.v1.RegistrySession;
import dev.plinth.config.v1.ResumeRolloutRequest;
import dev.plinth.config.v1.RevisionTarget;
import dev.plinth.config.v1.RollbackRequest;
import dev.plinth.config.v1.Stage;
import dev.plinth.config.v1.StartRolloutRequest;
import dev.plinth.config.v1.SyncRequest;
import dev.plinth.config.v1.WatchRolloutRequest;
import dev.plinth.registry.v1.LabelFilter;
import dev.plinth.testkit.call.FieldPaths;
import dev.plinth.testkit.call.FieldTable;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Every field of every request, with values that it must not have. */
final class ConfigBadFields {
  private static final Object[] CONFIGS = {"", "No", "-a", ".a", "a/b", "x".repeat(64), "a\nb"};

  private final FieldTable table = new FieldTable();

  private ConfigBadFields() {}

  /** Fields that are fine whatever they say, or that AgentFieldsTest is about. */
  static Map<String, String> cannotBeBad() {
    Map<String, String> fine = new TreeMap<>();
    fine.put("PutConfigRequest.validate_only", "a flag");
    fine.put("RollbackRequest.staged", "a flag");
    for (String request : List.of("StartRolloutRequest", "RollbackRequest")) {
      fine.put(request + ".stages.manual", "a flag");
      fine.put(request + ".stages.labels", "its filters are refused");
      fine.put(request + ".stages.labels.filters.absent", "a flag");
      fine.put(request + ".gates", "its fields are refused");
    }
    fine.put("ListAgentsRequest.filters.absent", "a flag");
    String map = "a label is refused by the name of the map";
    fine.put("SyncRequest.hello.labels.key", map);
    fine.put("SyncRequest.hello.labels.value", map);
    fine.put("FetchSnapshotRequest.labels.key", map);
    fine.put("FetchSnapshotRequest.labels.value", map);
    fine.put("SyncRequest.hello", "refused as body");
    fine.put("SyncRequest.hello.session", "its fields are refused");
    for (String field :
        List.of("", ".group", ".epoch", ".generation", ".state", ".error", ".config")) {
      fine.put("SyncRequest.ack" + field, "comes after a hello");
    }
    return fine;
  }

  static List<Message> good(ConfigCalls calls) {
    String space = calls.namespace;
    String limits = ConfigCalls.LIMITS;
    LabelFilter filter = LabelFilter.newBuilder().setKey("zone").addValues("a").build();
    Stage labels =
        Stage.newBuilder().setLabels(LabelSelector.newBuilder().addFilters(filter)).build();
    Have have =
        Have.newBuilder()
            .setGroup(limits)
            .addSnapshots(
                HeldSnapshot.newBuilder()
                    .setConfig(limits)
                    .setSha256(ByteString.copyFrom(new byte[32])))
            .build();
    RevisionTarget target = RevisionTarget.newBuilder().setConfig(limits).setRevision(1).build();
    return List.of(
        calls
            .putting(2, "{}")
            .setSignature(ByteString.copyFrom(new byte[64]))
            .setKeyId("k")
            .build(),
        GetConfigRequest.newBuilder().setNamespace(space).setConfig(limits).build(),
        ListConfigsRequest.newBuilder().setNamespace(space).build(),
        ListRevisionsRequest.newBuilder().setNamespace(space).setConfig(limits).build(),
        DiffRevisionsRequest.newBuilder()
            .setNamespace(space)
            .setConfig(limits)
            .setFromRevision(1)
            .build(),
        PauseRolloutRequest.newBuilder()
            .setNamespace(space)
            .setGroup(limits)
            .setGeneration(1)
            .setActor("olga")
            .build(),
        ResumeRolloutRequest.newBuilder()
            .setNamespace(space)
            .setGroup(limits)
            .setGeneration(1)
            .setActor("olga")
            .build(),
        calls.advancing(1).build(),
        calls.aborting(1).build(),
        calls
            .starting(1, labels, ConfigCalls.percent(100, 600))
            .setGates(Gates.getDefaultInstance())
            .build(),
        RollbackRequest.newBuilder()
            .setNamespace(space)
            .addTargets(target)
            .setStaged(true)
            .addStages(labels)
            .addStages(ConfigCalls.percent(100, 600))
            .setGates(Gates.getDefaultInstance())
            .setActor("olga")
            .build(),
        GetRolloutRequest.newBuilder().setNamespace(space).setGroup(limits).build(),
        WatchRolloutRequest.newBuilder().setNamespace(space).setGroup(limits).build(),
        ListAgentsRequest.newBuilder()
            .setNamespace(space)
            .setGroup(limits)
            .addFilters(filter)
            .build(),
        ExplainAgentRequest.newBuilder().setNamespace(space).setGroup(limits).setAgent("a").build(),
        FetchSnapshotRequest.newBuilder().setNamespace(space).setConfig(limits).build(),
        SyncRequest.newBuilder()
            .setNamespace(space)
            .setHello(
                calls
                    .hello("a")
                    .setSession(RegistrySession.newBuilder().setSessionId("s-1").setIncarnation(1))
                    .addHave(have))
            .build());
  }

  static FieldTable of(List<Message> good) {
    ConfigBadFields fields = new ConfigBadFields();
    for (Message request : good) {
      fields.table.inCommon(request);
      fields.named(request);
      fields.put(request);
      fields.plan(request);
      fields.agents(request);
    }
    return fields.table;
  }

  /** Fields that several requests have. */
  private void named(Message request) {
    if (has(request, "config")) {
      rows(request, "config", CONFIGS);
    }
    if (has(request, "group")) {
      int from = request instanceof WatchRolloutRequest ? 1 : 0;
      for (int i = from; i < CONFIGS.length; i++) {
        rows(request, "group", CONFIGS[i]);
      }
    }
    if (has(request, "actor")) {
      rows(request, "actor", names(128));
      rows(request, "comment", texts(256));
    }
    if (has(request, "expected_version")) {
      rows(request, "expected_version", -1L);
      rows(request, "generation", 0L, -1L);
    }
    if (has(request, "page_size")) {
      rows(request, "page_size", -1, 1001);
      rows(request, "page_token", "x", "q1.a", "c2.a", "r1.y", "a1.", "c1." + "x".repeat(999));
    }
    if (request instanceof GetConfigRequest) {
      rows(request, "revision", -1L);
    } else if (request instanceof DiffRevisionsRequest) {
      rows(request, "from_revision", 0L, -1L);
      rows(request, "to_revision", -1L);
    } else if (request instanceof GetRolloutRequest) {
      rows(request, "generation", -1L);
    }
  }

  private static boolean has(Message request, String field) {
    return request.getDescriptorForType().findFieldByName(field) != null;
  }

  private void put(Message request) {
    if (request instanceof PutConfigRequest) {
      rows(request, "expected_revision", -1L);
      rows(request, "content", ByteString.copyFrom(new byte[ConfigWire.MAX_CONTENT + 1]));
      rows(request, "content_type", names(127));
      rows(request, "atomic_group", "No", "-a", "x".repeat(64));
      rows(request, "json_schema", "x".repeat(ConfigWire.MAX_SCHEMA + 1), "{", "[]");
      rows(request, "signature", ByteString.copyFrom(new byte[63]));
      rows(request, "key_id", names(128));
      rows(FieldPaths.with(request, "signature", ByteString.EMPTY), "key_id", "k");
      rows(request, "max_staleness", Durations.fromMillis(999), Durations.fromDays(8), NO_DURATION);
    }
  }

  private void plan(Message request) {
    if (!(request instanceof StartRolloutRequest || request instanceof RollbackRequest)) {
      return;
    }
    RevisionTarget target = RevisionTarget.newBuilder().setConfig("a").setRevision(1).build();
    rows(request, "targets", List.of(), Collections.nCopies(65, target));
    rows(request, "targets[0].config", CONFIGS);
    rows(FieldPaths.with(request, "targets", List.of(target, target)), "targets[1].config", "a");
    rows(request, "targets[0].revision", 0L, -1L);
    rows(request, "expected_generation", -1L);
    rows(request, "stages", Collections.nCopies(17, ConfigCalls.percent(100, 0)));
    rows(request, "stages[1].percent", 0.0, -1.0, 100.5, Double.NaN, 99.0);
    Message counted =
        FieldPaths.with(
            request,
            "stages",
            List.of(Stage.newBuilder().setCount(1).build(), ConfigCalls.percent(100, 0)));
    rows(counted, "stages[0].count", 0, -1, 1001);
    rows(request, "stages[0].bake", Durations.fromDays(8), NO_DURATION);
    LabelFilter filter = LabelFilter.newBuilder().setKey("zone").build();
    rows(request, "stages[0].labels.filters", List.of(), Collections.nCopies(17, filter));
    rows(request, "stages[0].labels.filters[0].key", names(63));
    rows(request, "stages[0].labels.filters[0].values", Collections.nCopies(33, "a"));
    rows(request, "gates.max_rejections", -1, 100_001);
    rows(
        request,
        "gates.ack_timeout",
        Durations.fromMillis(999),
        Durations.fromHours(2),
        NO_DURATION);
    rows(request, "gates.max_unacked_ratio", -0.1, 1.1, Double.NaN);
    rows(request, "gates.max_death_ratio", -0.1, 1.1, Double.NaN);
    rows(request, "on_failure", 99);
    if (request instanceof RollbackRequest) {
      rows(
          FieldPaths.with(request, "staged", false),
          "stages",
          List.of(ConfigCalls.percent(100, 0)));
    }
  }

  private void agents(Message request) {
    if (request instanceof ListAgentsRequest) {
      LabelFilter filter = LabelFilter.newBuilder().setKey("zone").build();
      rows(request, "state", 99);
      rows(request, "generation_below", 0L, -1L);
      rows(request, "filters", Collections.nCopies(17, filter));
      rows(request, "filters[0].key", names(63));
      rows(request, "filters[0].values", Collections.nCopies(33, "a"));
    } else if (request instanceof ExplainAgentRequest) {
      rows(request, "agent", names(128));
    } else if (request instanceof FetchSnapshotRequest) {
      rows(request, "agent", texts(128));
      rows(request, "instance", texts(128));
      FetchSnapshotRequest bad = FetchSnapshotRequest.newBuilder().putLabels("a\nb", "x").build();
      rows(request, "labels", bad.getField(bad.getDescriptorForType().findFieldByName("labels")));
    } else if (request instanceof SyncRequest) {
      hello(request);
    }
  }

  private void hello(Message request) {
    rows(request, "hello.agent", names(128));
    rows(request, "hello.instance", texts(128));
    rows(request, "hello.session.session_id", names(64));
    rows(request, "hello.session.incarnation", 0L, -1L);
    Hello bad = Hello.newBuilder().putLabels("", "x").build();
    rows(
        request,
        "hello.labels",
        bad.getField(bad.getDescriptorForType().findFieldByName("labels")));
    rows(
        request,
        "hello.configs",
        List.of(),
        List.of("a", "a"),
        List.of("No"),
        Collections.nCopies(257, "a"));
    Have have = Have.newBuilder().setGroup("a").build();
    rows(request, "hello.have", Collections.nCopies(257, have));
    rows(request, "hello.have[0].group", CONFIGS);
    rows(FieldPaths.with(request, "hello.have", List.of(have, have)), "hello.have[1].group", "a");
    for (String number : List.of("epoch", "generation", "rejected_epoch", "rejected_generation")) {
      rows(request, "hello.have[0]." + number, -1L);
    }
    HeldSnapshot held =
        HeldSnapshot.newBuilder()
            .setConfig("a")
            .setSha256(ByteString.copyFrom(new byte[32]))
            .build();
    rows(request, "hello.have[0].snapshots", Collections.nCopies(129, held));
    rows(request, "hello.have[0].snapshots[0].config", CONFIGS);
    rows(
        request,
        "hello.have[0].snapshots[0].sha256",
        ByteString.EMPTY,
        ByteString.copyFrom(new byte[31]));
  }

  private void rows(Message request, String path, Object... values) {
    table.rows(request, path, values);
  }
}
