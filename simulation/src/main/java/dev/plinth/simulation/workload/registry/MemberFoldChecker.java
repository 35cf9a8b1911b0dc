package dev.plinth.simulation.workload.registry;

import dev.plinth.registry.v1.MemberEvent;
import dev.plinth.registry.v1.MemberState;
import dev.plinth.simulation.workload.registry.MemberTold.Gap;
import dev.plinth.simulation.workload.registry.MemberTold.Happened;
import dev.plinth.simulation.workload.registry.MemberTold.Seen;
import dev.plinth.simulation.workload.registry.MemberTold.Snapshot;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Judges what one watch told, R1 and R4: incarnations rise, only a registration makes a member,
 * each ends once and only a SUSPECT one dies, no change is left out between a snapshot and the next
 * gap.
 */
final class MemberFoldChecker {
  private final Map<String, Seen> there = new TreeMap<>();
  private long highest;
  private boolean lost = true;

  /** The members that who listened knows to be there; fails where the story cannot be true. */
  static Map<String, Seen> fold(List<MemberTold> story) {
    MemberFoldChecker checker = new MemberFoldChecker();
    for (MemberTold told : story) {
      if (told instanceof Snapshot snapshot) {
        checker.snapshot(snapshot);
      } else if (told instanceof Happened happened) {
        checker.happened(happened);
      } else if (told instanceof Gap) {
        checker.lost = true;
      }
    }
    return checker.there;
  }

  private void snapshot(Snapshot snapshot) {
    for (Seen seen : snapshot.members().values()) {
      Seen before = there.get(seen.name());
      require(
          before == null || before.incarnation() <= seen.incarnation(),
          "a snapshot went back",
          before,
          seen);
    }
    there.clear();
    there.putAll(snapshot.members());
    there.values().forEach(seen -> highest = Math.max(highest, seen.incarnation()));
    lost = false;
  }

  private void happened(Happened event) {
    Seen seen = event.member();
    Seen before = there.get(seen.name());
    require(!lost, "an event between a gap and its snapshot", before, event);
    if (event.type() == MemberEvent.Type.TYPE_REGISTERED) {
      require(seen.incarnation() > highest, "an incarnation that does not rise", before, event);
      require(seen.version() == 1, "a registration of another version", before, event);
      highest = seen.incarnation();
      there.put(seen.name(), seen);
      return;
    }
    require(before != null, "an event of a member that is not there", before, event);
    require(
        before.incarnation() == seen.incarnation(), "another incarnation's event", before, event);
    long step = seen.version() - before.version();
    switch (event.type()) {
      case TYPE_CHANGED -> {
        require(step == 0 || step == 1, "a change was left out", before, event);
        there.put(seen.name(), seen);
      }
      case TYPE_DEAD -> {
        require(step == 0, "a change was left out", before, event);
        require(before.state() == MemberState.MEMBER_STATE_SUSPECT, "a death", before, event);
        there.remove(seen.name());
      }
      case TYPE_LEFT -> {
        require(step == 0, "a change was left out", before, event);
        there.remove(seen.name());
      }
      default -> throw new AssertionError("a watch without filters told " + event);
    }
  }

  private static void require(boolean holds, String what, Object before, Object event) {
    if (!holds) {
      throw new AssertionError(what + ": " + event + " after " + before);
    }
  }
}
