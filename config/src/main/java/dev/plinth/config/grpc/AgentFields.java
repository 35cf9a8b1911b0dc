package dev.plinth.config.grpc;

import com.google.protobuf.ByteString;
import dev.plinth.config.core.AgentAck;
import dev.plinth.config.core.AgentHello;
import dev.plinth.config.core.AgentIdentity;
import dev.plinth.config.core.HeldRelease;
import dev.plinth.config.core.ReleaseOrder;
import dev.plinth.config.v1.Ack;
import dev.plinth.config.v1.Have;
import dev.plinth.config.v1.HeldSnapshot;
import dev.plinth.config.v1.Hello;
import dev.plinth.config.v1.RegistrySession;
import dev.plinth.registry.core.SessionKey;
import dev.plinth.registry.grpc.RegistryWire;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What agents say, checked. */
final class AgentFields {
  private static final int MAX_CONFIGS = 256;
  private static final int MAX_HELD = 128;
  private static final int MAX_ERROR = 1024;
  private static final int KEPT_ERROR = 256;
  private static final int MAX_SESSION = 64;
  private static final int SHA256 = 32;

  private AgentFields() {}

  static AgentHello hello(String namespace, Hello hello) {
    String agent = FieldChecks.name("hello.agent", hello.getAgent(), ConfigWire.MAX_NAME);
    AgentIdentity identity = identity("hello.", agent, hello.getInstance(), hello.getLabelsMap());
    FieldChecks.between("hello.configs", hello.getConfigsCount(), 1, MAX_CONFIGS);
    Set<String> configs = new LinkedHashSet<>();
    for (String config : hello.getConfigsList()) {
      if (!configs.add(ConfigWire.config("hello.configs", config))) {
        throw Failure.Invalid.field("hello.configs", FieldChecks.quoted(config), "each once");
      }
    }
    return new AgentHello(
        identity,
        hello.hasSession() ? Optional.of(session(namespace, hello.getSession())) : Optional.empty(),
        configs,
        held(hello.getHaveList()));
  }

  /**
   * @param path of the message in the request, with a dot at its end
   */
  static AgentIdentity identity(
      String path, String agent, String instance, Map<String, String> labels) {
    FieldChecks.optionalName(path + "instance", instance, ConfigWire.MAX_NAME);
    return new AgentIdentity(
        agent, instance.isEmpty() ? agent : instance, RegistryWire.labels(path + "labels", labels));
  }

  private static SessionKey session(String namespace, RegistrySession session) {
    return new SessionKey(
        namespace,
        FieldChecks.name("hello.session.session_id", session.getSessionId(), MAX_SESSION),
        RegistryWire.incarnation("hello.session.incarnation", session.getIncarnation()));
  }

  private static Map<String, HeldRelease> held(List<Have> have) {
    FieldChecks.between("hello.have", have.size(), 0, MAX_CONFIGS);
    Map<String, HeldRelease> held = new HashMap<>();
    for (int i = 0; i < have.size(); i++) {
      String path = "hello.have[" + i + "].";
      String group = ConfigWire.config(path + "group", have.get(i).getGroup());
      if (held.put(group, held(path, have.get(i))) != null) {
        throw Failure.Invalid.field(path + "group", FieldChecks.quoted(group), "each once");
      }
    }
    return held;
  }

  private static HeldRelease held(String path, Have have) {
    FieldChecks.between(path + "snapshots", have.getSnapshotsCount(), 0, MAX_HELD);
    Map<String, Set<String>> content = new HashMap<>();
    for (int i = 0; i < have.getSnapshotsCount(); i++) {
      HeldSnapshot snapshot = have.getSnapshots(i);
      String at = path + "snapshots[" + i + "].";
      content
          .computeIfAbsent(
              ConfigWire.config(at + "config", snapshot.getConfig()), key -> new HashSet<>(2))
          .add(hash(at + "sha256", snapshot.getSha256()));
    }
    return new HeldRelease(
        new ReleaseOrder(
            ConfigWire.optionalRevision(path + "epoch", have.getEpoch()),
            ConfigWire.optionalRevision(path + "generation", have.getGeneration())),
        new ReleaseOrder(
            ConfigWire.optionalRevision(path + "rejected_epoch", have.getRejectedEpoch()),
            ConfigWire.optionalRevision(
                path + "rejected_generation", have.getRejectedGeneration())),
        content);
  }

  private static String hash(String field, ByteString value) {
    if (value.size() != SHA256) {
      throw Failure.Invalid.field(field, value.size() + " bytes", SHA256 + " bytes");
    }
    return HexFormat.of().formatHex(value.toByteArray());
  }

  static AgentAck ack(Ack ack) {
    String group = ConfigWire.config("ack.group", ack.getGroup());
    ReleaseOrder order =
        new ReleaseOrder(
            ConfigWire.revision("ack.epoch", ack.getEpoch()),
            ConfigWire.revision("ack.generation", ack.getGeneration()));
    AgentAck.AckState state =
        switch (ack.getState()) {
          case ACK_STATE_STAGED -> AgentAck.AckState.STAGED;
          case ACK_STATE_APPLIED -> AgentAck.AckState.APPLIED;
          case ACK_STATE_REJECTED -> AgentAck.AckState.REJECTED;
          case ACK_STATE_UNSPECIFIED, UNRECOGNIZED ->
              throw Failure.Invalid.field(
                  "ack.state", ack.getStateValue(), "STAGED, APPLIED or REJECTED");
        };
    boolean rejected = state == AgentAck.AckState.REJECTED;
    String error = rejected ? error(ack.getError()) : none("ack.error", ack.getError());
    String config =
        rejected && !ack.getConfig().isEmpty()
            ? ConfigWire.config("ack.config", ack.getConfig())
            : none("ack.config", rejected ? "" : ack.getConfig());
    return new AgentAck(group, order, state, error, config);
  }

  /** Whatever an agent says is wrong, on one line. */
  private static String error(String text) {
    if (text.isBlank() || text.length() > MAX_ERROR) {
      throw Failure.Invalid.field(
          "ack.error", text.length() + " characters", "1.." + MAX_ERROR + " with REJECTED");
    }
    String line = text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]+", " ").strip();
    return line.length() > KEPT_ERROR ? line.substring(0, KEPT_ERROR) : line;
  }

  private static String none(String field, String value) {
    if (!value.isEmpty()) {
      throw Failure.Invalid.field(field, FieldChecks.quoted(value), "none without REJECTED");
    }
    return value;
  }
}
