package dev.plinth.simulation.workload.registry;

import dev.plinth.registry.v1.MemberState;
import dev.plinth.simulation.workload.registry.MemberTold.Seen;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Judges what callers and watchers were told of members, R1 and R2: each was registered, none comes
 * back after its end, and none whose beats came in time is ever SUSPECT or DEAD.
 */
final class MemberChecks {
  private final Set<Long> registered = new TreeSet<>();
  private final Map<Long, Seen> shown = new TreeMap<>();
  private final Map<Long, Long> ended = new TreeMap<>();
  private final Map<String, Long> doubted = new TreeMap<>(); // sessions, and since when
  private final Map<String, Long> punctual = new TreeMap<>();

  /** A Register was answered. */
  void registered(long incarnation) {
    registered.add(incarnation);
  }

  /** Somebody was told of a member. */
  void shown(Seen member, long at) {
    shown.put(member.incarnation(), member);
    if (member.state() == MemberState.MEMBER_STATE_SUSPECT
        || member.state() == MemberState.MEMBER_STATE_DEAD) {
      doubted.merge(member.session(), at, Math::min);
    }
  }

  /** Known to somebody at this time. */
  void ended(long incarnation, long at) {
    ended.merge(incarnation, at, Math::min);
  }

  /** A list, or a single look, that was asked for then. */
  void listed(Seen member, long asked, long answered) {
    shown(member, answered);
    Long end = ended.get(member.incarnation());
    if (end != null && end < asked) {
      throw new AssertionError(
          "a list asked for at %d shows %s, which had ended at %d".formatted(asked, member, end));
    }
  }

  /** Until then all beats of a session came so that it was never silent for its ttl. */
  void punctual(String session, long until) {
    punctual.put(session, until);
  }

  /** Once no registration is under way. */
  void check() {
    shown.forEach(
        (incarnation, member) -> {
          if (!registered.contains(incarnation)) {
            throw new AssertionError("nobody registered " + member);
          }
        });
    doubted.forEach(
        (session, at) -> {
          if (at < punctual.getOrDefault(session, 0L)) {
            throw new AssertionError(
                "beats of session %s came in time, but its members were doubted at %d"
                    .formatted(session, at));
          }
        });
  }
}
