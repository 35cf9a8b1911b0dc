package dev.plinth.simulation.workload.registry;

import dev.plinth.registry.v1.Member;
import dev.plinth.registry.v1.MemberEvent;
import dev.plinth.registry.v1.MemberState;
import java.util.Map;

/** What a watch of members told. */
sealed interface MemberTold {
  /**
   * A member at one time.
   *
   * @param name with its group
   */
  record Seen(String name, long incarnation, String session, long version, MemberState state) {
    static Seen of(Member member) {
      return new Seen(
          member.getGroup() + "/" + member.getName(),
          member.getIncarnation(),
          member.getSessionId(),
          member.getVersion(),
          member.getState());
    }
  }

  /** Those that are there, by name. */
  record Snapshot(Map<String, Seen> members) implements MemberTold {}

  record Happened(MemberEvent.Type type, Seen member) implements MemberTold {}

  record Gap() implements MemberTold {}
}
