package dev.plinth.simulation.workload.registry;

import static dev.plinth.registry.v1.MemberEvent.Type.TYPE_CHANGED;
import static dev.plinth.registry.v1.MemberEvent.Type.TYPE_DEAD;
import static dev.plinth.registry.v1.MemberEvent.Type.TYPE_LEFT;
import static dev.plinth.registry.v1.MemberEvent.Type.TYPE_REGISTERED;
import static dev.plinth.registry.v1.MemberState.MEMBER_STATE_ALIVE;
import static dev.plinth.registry.v1.MemberState.MEMBER_STATE_DEAD;
import static dev.plinth.registry.v1.MemberState.MEMBER_STATE_LEFT;
import static dev.plinth.registry.v1.MemberState.MEMBER_STATE_SUSPECT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.plinth.registry.v1.MemberEvent;
import dev.plinth.registry.v1.MemberState;
import dev.plinth.simulation.workload.registry.MemberTold.Gap;
import dev.plinth.simulation.workload.registry.MemberTold.Happened;
import dev.plinth.simulation.workload.registry.MemberTold.Seen;
import dev.plinth.simulation.workload.registry.MemberTold.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MemberCheckersTest {
  private final MemberChecks checks = new MemberChecks();

  private static Seen seen(String name, long incarnation, long version, MemberState state) {
    return new Seen(name, incarnation, "session", version, state);
  }

  private static MemberTold event(
      MemberEvent.Type type, String name, long incarnation, long version, MemberState state) {
    return new Happened(type, seen(name, incarnation, version, state));
  }

  private static final List<MemberTold> STORY =
      List.of(
          new Snapshot(Map.of("a", seen("a", 1, 1, MEMBER_STATE_ALIVE))),
          event(TYPE_REGISTERED, "b", 2, 1, MEMBER_STATE_ALIVE),
          event(TYPE_CHANGED, "b", 2, 2, MEMBER_STATE_ALIVE),
          event(TYPE_CHANGED, "b", 2, 3, MEMBER_STATE_ALIVE),
          event(TYPE_CHANGED, "a", 1, 1, MEMBER_STATE_SUSPECT),
          event(TYPE_DEAD, "a", 1, 1, MEMBER_STATE_DEAD),
          event(TYPE_REGISTERED, "a", 3, 1, MEMBER_STATE_ALIVE),
          event(TYPE_LEFT, "b", 2, 3, MEMBER_STATE_LEFT));

  @Test
  void fold_isWhatIsThere() {
    assertEquals(Map.of("a", seen("a", 3, 1, MEMBER_STATE_ALIVE)), MemberFoldChecker.fold(STORY));
  }

  @Test
  void storyWithoutOneOfItsParts_isSeen() {
    for (int i = 0; i < STORY.size(); i++) {
      List<MemberTold> spoiled = new ArrayList<>(STORY);
      spoiled.remove(i);
      if (i == 3) {
        assertThrows(AssertionError.class, () -> MemberFoldChecker.fold(spoiled)); // left at 3
      } else if (i == 5 || i == 6) {
        continue; // an end before a new one, and the last one, only the list can tell
      } else if (i == 7) {
        assertEquals(2, MemberFoldChecker.fold(spoiled).size());
      } else {
        assertThrows(AssertionError.class, () -> MemberFoldChecker.fold(spoiled), "without " + i);
      }
    }
  }

  @Test
  void storyWithAPartTwice_isSeen() {
    for (int i : List.of(1, 5, 6, 7)) {
      List<MemberTold> spoiled = new ArrayList<>(STORY);
      spoiled.add(i, STORY.get(i));
      assertThrows(AssertionError.class, () -> MemberFoldChecker.fold(spoiled), "twice " + i);
    }
  }

  @Test
  void gap_isFollowedByASnapshot_thatDoesNotGoBack() {
    List<MemberTold> story = new ArrayList<>(STORY);
    story.add(new Gap());
    story.add(new Snapshot(Map.of("a", seen("a", 7, 1, MEMBER_STATE_ALIVE))));
    assertEquals(7, MemberFoldChecker.fold(story).get("a").incarnation());
    List<MemberTold> early = new ArrayList<>(STORY);
    early.add(new Gap());
    early.add(event(TYPE_REGISTERED, "c", 9, 1, MEMBER_STATE_ALIVE));
    assertThrows(AssertionError.class, () -> MemberFoldChecker.fold(early));
    List<MemberTold> back = new ArrayList<>(STORY);
    back.add(new Snapshot(Map.of("a", seen("a", 1, 1, MEMBER_STATE_ALIVE))));
    assertThrows(AssertionError.class, () -> MemberFoldChecker.fold(back));
  }

  @Test
  void incarnationThatDoesNotRise_isSeen() {
    List<MemberTold> story = new ArrayList<>(STORY);
    story.add(event(TYPE_REGISTERED, "c", 3, 1, MEMBER_STATE_ALIVE));
    assertThrows(AssertionError.class, () -> MemberFoldChecker.fold(story));
  }

  @Test
  void memberThatNobodyRegistered_isSeen() {
    checks.registered(1);
    checks.shown(seen("a", 1, 1, MEMBER_STATE_ALIVE), 5);
    checks.check();
    checks.shown(seen("b", 2, 1, MEMBER_STATE_ALIVE), 6);
    assertThrows(AssertionError.class, checks::check);
  }

  @Test
  void memberThatIsListedAfterItsEnd_isSeen() {
    Seen member = seen("a", 1, 1, MEMBER_STATE_ALIVE);
    checks.ended(1, 100);
    checks.listed(member, 99, 200);
    assertThrows(AssertionError.class, () -> checks.listed(member, 101, 200));
  }

  @Test
  void punctualMember_thatIsDoubted_isSeen_butNotLater() {
    checks.registered(1);
    checks.shown(seen("a", 1, 1, MEMBER_STATE_SUSPECT), 50);
    checks.punctual("session", 50);
    checks.check();
    checks.punctual("session", 51);
    assertThrows(AssertionError.class, checks::check);
  }
}
