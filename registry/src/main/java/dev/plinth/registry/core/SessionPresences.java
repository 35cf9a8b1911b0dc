package dev.plinth.registry.core;

import dev.plinth.shards.Tx;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The devices of one session, and the order of its calls. A device that was untracked is remembered
 * for a while with the seq of that call, so that an earlier one that comes later finds itself
 * stale. What is forgotten of them leaves a bound behind: below it nothing is tracked anew.
 */
final class SessionPresences {
  /** Devices of one session. */
  static final int MAX_DEVICES = 10_000;

  /** Untracked devices of one session that are remembered. */
  static final int MAX_UNTRACKED = 256;

  // An entry of a map with its key, without the texts.
  private static final int FIXED_BYTES = 200;

  record Tracked(long seq, PresenceView view) {}

  record Untracked(long seq, UntrackResult outcome) {}

  final PresenceNamespace namespace;
  final Map<DeviceName, Tracked> devices = new HashMap<>();
  private final LinkedHashMap<DeviceName, Untracked> untracked = new LinkedHashMap<>();
  private final Presences presences;
  private long forgottenSeq;

  SessionPresences(PresenceNamespace namespace, Presences presences) {
    this.namespace = namespace;
    this.presences = presences;
    namespace.sessions++;
  }

  /** The session has ended: none of its devices is there any more. */
  void end(Tx tx) {
    devices.forEach((name, was) -> presences.remove(namespace, name.room(), was.view(), tx));
    devices.clear();
    untracked.keySet().forEach(name -> namespace.bytes -= bytes(name));
    untracked.clear();
    namespace.sessions--;
    presences.forgetIfUnused(namespace);
  }

  /** The last call that untracked a device which is not there; null if none is known. */
  Untracked untracked(DeviceName name) {
    return untracked.get(name);
  }

  /** Whether a later call for a device that is not there has been decided, or may have been. */
  boolean isStale(DeviceName name, long seq) {
    Untracked last = untracked.get(name);
    return last == null ? seq <= forgottenSeq : seq <= last.seq();
  }

  void tracked(DeviceName name, Tracked device) {
    devices.put(name, device);
    if (untracked.remove(name) != null) {
      namespace.bytes -= bytes(name);
    }
  }

  /** Never refused: without room to remember it, the bound rises. */
  void untracked(DeviceName name, Untracked call) {
    devices.remove(name);
    if (untracked.containsKey(name)) {
      untracked.put(name, call);
      return;
    }
    if (namespace.bytes + bytes(name) > PresenceNamespace.MAX_BYTES) {
      forgottenSeq = Math.max(forgottenSeq, call.seq());
      return;
    }
    untracked.put(name, call);
    namespace.bytes += bytes(name);
    if (untracked.size() > MAX_UNTRACKED) {
      Iterator<Map.Entry<DeviceName, Untracked>> eldest = untracked.entrySet().iterator();
      Map.Entry<DeviceName, Untracked> forgotten = eldest.next();
      forgottenSeq = Math.max(forgottenSeq, forgotten.getValue().seq());
      namespace.bytes -= bytes(forgotten.getKey());
      eldest.remove();
    }
  }

  private static int bytes(DeviceName name) {
    return FIXED_BYTES + 2 * (name.room().length() + name.key().length() + name.device().length());
  }
}
