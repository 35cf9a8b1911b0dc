package dev.plinth.registry.grpc;

import dev.plinth.registry.core.DeviceName;
import dev.plinth.registry.core.PresenceNews;
import dev.plinth.registry.core.PresenceView;
import dev.plinth.registry.v1.Presence;
import dev.plinth.registry.v1.PresenceCount;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import java.util.Map;

/** Fields of presence, checked, and the core's terms on the wire. */
final class PresenceWire {
  private static final int MAX_DEVICE = 64;
  private static final int MAX_META = 16;
  private static final int MAX_META_BYTES = 1024;

  private PresenceWire() {}

  static String room(String value) {
    return FieldChecks.name("room", value, RegistryWire.MAX_NAME);
  }

  static DeviceName device(String room, String key, String device) {
    return new DeviceName(
        room(room),
        FieldChecks.name("key", key, RegistryWire.MAX_NAME),
        FieldChecks.optionalName("device", device, MAX_DEVICE));
  }

  static Map<String, String> meta(Map<String, String> meta) {
    return RegistryWire.texts("meta", meta, MAX_META, MAX_META_BYTES);
  }

  static long seq(long value) {
    return above0("seq", value, "a number above 0 that rises with each call of the session");
  }

  static long epoch(long value) {
    return above0("presence_epoch", value, "that of the session's last beat, above 0");
  }

  private static long above0(String field, long value, String expected) {
    if (value <= 0) {
      throw Failure.Invalid.field(field, value, expected);
    }
    return value;
  }

  static Presence presence(PresenceView view) {
    return Presence.newBuilder()
        .setKey(view.at().key())
        .setDevice(view.at().device())
        .setSessionId(view.at().sessionId())
        .putAllMeta(view.meta())
        .setVersion(view.version())
        .setJoinedAt(FieldChecks.wire(view.joinedAt()))
        .build();
  }

  static PresenceCount count(PresenceNews.Count count) {
    return PresenceCount.newBuilder().setKeys(count.keys()).setDevices(count.devices()).build();
  }
}
