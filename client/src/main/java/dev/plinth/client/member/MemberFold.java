package dev.plinth.client.member;

import dev.plinth.registry.v1.Member;
import dev.plinth.registry.v1.MemberEvent;
import dev.plinth.registry.v1.MemberSnapshot;
import dev.plinth.registry.v1.MemberState;
import dev.plinth.registry.v1.Override;
import dev.plinth.registry.v1.WatchMembersResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Members as a watch tells of them. What is half told is not shown: a snapshot counts with its last
 * message, a commit with its last.
 */
final class MemberFold {
  /**
   * Members at one moment, in the order of groups and names.
   *
   * @param serving those to send work to
   */
  record View(List<Member> members, List<Member> serving) {
    static final View EMPTY = new View(List.of(), List.of());
  }

  private Map<String, Member> members = new TreeMap<>();
  private Map<String, Member> arriving;
  // Incarnations that were DRAINING when they were last heard of: SUSPECT hides it.
  private final Set<Long> draining = new HashSet<>();
  private String resumeToken = "";

  /** To go on after what was told; empty to begin with a snapshot. */
  String resumeToken() {
    return resumeToken;
  }

  /** A new stream: of a snapshot that was half told, the rest will not come. */
  void reopen() {
    arriving = null;
  }

  /** The server does not take the token. What is known stays until the snapshot is whole. */
  void loseTrack() {
    resumeToken = "";
    arriving = null;
  }

  /** Whether it is all there, up to some moment. */
  boolean take(WatchMembersResponse message) {
    switch (message.getBodyCase()) {
      case SNAPSHOT -> snapshot(message.getSnapshot());
      case EVENTS -> message.getEvents().getEventsList().forEach(this::event);
      case GAP -> loseTrack();
      default -> {} // progress: only the token
    }
    if (message.hasGap() || message.getResumeToken().isEmpty()) {
      return false;
    }
    resumeToken = message.getResumeToken();
    return !message.hasProgress();
  }

  private void snapshot(MemberSnapshot part) {
    if (arriving == null) {
      arriving = new TreeMap<>();
    }
    part.getMembersList().forEach(member -> arriving.put(key(member), member));
    if (!part.getMore()) {
      members = arriving;
      arriving = null;
      Set<Long> there = new HashSet<>();
      members.values().forEach(member -> there.add(member.getIncarnation()));
      draining.retainAll(there);
      members.values().forEach(this::noteDraining);
    }
  }

  private void event(MemberEvent event) {
    Member member = event.getMember();
    switch (event.getType()) {
      case TYPE_REGISTERED, TYPE_CHANGED -> {
        Member before = members.put(key(member), member);
        if (before != null && before.getIncarnation() != member.getIncarnation()) {
          draining.remove(before.getIncarnation());
        }
        noteDraining(member);
      }
      case TYPE_DEAD, TYPE_LEFT, TYPE_UNMATCHED -> {
        members.remove(key(member));
        draining.remove(member.getIncarnation());
      }
      default -> {} // of a newer server
    }
  }

  private static String key(Member member) {
    return member.getGroup() + "/" + member.getName();
  }

  private void noteDraining(Member member) {
    if (member.getState() == MemberState.MEMBER_STATE_DRAINING) {
      draining.add(member.getIncarnation());
    } else if (member.getState() == MemberState.MEMBER_STATE_ALIVE) {
      draining.remove(member.getIncarnation());
    }
  }

  View view() {
    List<Member> serving = new ArrayList<>();
    for (Member member : members.values()) {
      if (isServing(member)) {
        serving.add(member);
      }
    }
    return new View(List.copyOf(members.values()), List.copyOf(serving));
  }

  /** SUSPECT ones still serve: most of them are there, and a network is the likelier cause. */
  private boolean isServing(Member member) {
    boolean there =
        member.getState() == MemberState.MEMBER_STATE_ALIVE
            || member.getState() == MemberState.MEMBER_STATE_SUSPECT;
    return there
        && !draining.contains(member.getIncarnation())
        && member.getOverride() != Override.OVERRIDE_OUT_OF_SERVICE
        && member.getWeight() > 0;
  }
}
