package dev.plinth.registry.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What rooms must show, in the simplest way: the last call for each device decides. */
final class ReferencePresence {
  /** A device of a session, wherever it is. */
  record Id(SessionKey session, DeviceName name) {}

  /**
   * A call that was sent.
   *
   * @param status null if it untracks
   */
  record Sent(Id id, String status, long epoch, long seq) {}

  private final Map<Id, Sent> last = new HashMap<>();
  private final Map<Id, UntrackResult> outcomes = new HashMap<>();

  /** The call's outcome by its name. */
  String apply(Sent call, long epoch) {
    Sent before = last.get(call.id());
    boolean there = before != null && before.status() != null;
    if (call.status() != null) {
      if (call.epoch() != epoch) {
        return "EPOCH_CHANGED";
      }
      if (before != null && (there ? call.seq() < before.seq() : call.seq() <= before.seq())) {
        return "STALE";
      }
      last.put(call.id(), call);
      return "TRACKED";
    }
    if (there && call.seq() <= before.seq()) {
      return "STALE";
    }
    if (before != null && call.seq() <= before.seq()) {
      return call.seq() == before.seq() ? outcomes.get(call.id()).name() : "GONE";
    }
    last.put(call.id(), call);
    outcomes.put(call.id(), there ? UntrackResult.LEFT : UntrackResult.GONE);
    return outcomes.get(call.id()).name();
  }

  /** Only those of open sessions are there, and no other call counts any more. */
  void keep(Set<SessionKey> open) {
    last.keySet().removeIf(id -> !open.contains(id.session()));
  }

  /** A new owner knows nothing. */
  void clear() {
    last.clear();
  }

  List<String> list(String room) {
    Set<String> lines = new TreeSet<>();
    for (Sent call : last.values()) {
      if (call.status() != null && call.id().name().room().equals(room)) {
        lines.add(
            line(
                call.id().name().key(),
                call.id().session().id(),
                call.id().name().device(),
                call.status()));
      }
    }
    return new ArrayList<>(lines);
  }

  static String line(String key, String session, String device, String status) {
    return key + " " + session + " " + device + " " + status;
  }
}
