package dev.plinth.client.member;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.registry.v1.Member;
import dev.plinth.registry.v1.MemberEvent;
import dev.plinth.registry.v1.MemberEvents;
import dev.plinth.registry.v1.MemberGap;
import dev.plinth.registry.v1.MemberProgress;
import dev.plinth.registry.v1.MemberSnapshot;
import dev.plinth.registry.v1.MemberState;
import dev.plinth.registry.v1.Override;
import dev.plinth.registry.v1.WatchMembersResponse;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemberFoldTest {
  private final MemberFold fold = new MemberFold();

  @Test
  void watchGap_keepsWhatIsKnown_untilTheNewSnapshotIsWhole() {
    snapshot("1", false, alive("ann", 1), alive("bob", 2));
    assertFalse(fold.take(WatchMembersResponse.newBuilder().setGap(gap()).build()));
    assertEquals("", fold.resumeToken());
    snapshot("", true, alive("carl", 3));
    assertEquals(List.of("ann", "bob"), names());
    snapshot("2", false, alive("dora", 4));
    assertEquals(List.of("carl", "dora"), names());
    assertEquals("2", fold.resumeToken());
  }

  @Test
  void snapshotThatBroke_isNotMixedWithTheNext() {
    snapshot("", true, alive("ann", 1));
    fold.reopen();
    snapshot("1", false, alive("bob", 2));
    assertEquals(List.of("bob"), names());
  }

  @Test
  void events_changeWhatIsThere_andResumeAfterTheirCommit() {
    snapshot("1", false, alive("ann", 1), alive("bob", 2));
    assertFalse(events("", event(MemberEvent.Type.TYPE_LEFT, alive("ann", 1))));
    assertEquals("1", fold.resumeToken());
    assertTrue(
        events(
            "2",
            event(MemberEvent.Type.TYPE_REGISTERED, alive("carl", 3)),
            event(MemberEvent.Type.TYPE_UNMATCHED, alive("bob", 2))));
    assertEquals(List.of("carl"), names());
    assertEquals("2", fold.resumeToken());
    assertFalse(
        fold.take(
            WatchMembersResponse.newBuilder()
                .setProgress(MemberProgress.getDefaultInstance())
                .setResumeToken("3")
                .build()));
    assertEquals("3", fold.resumeToken());
  }

  @Test
  void serving_isAliveOrSuspect_neitherDrainingNorOutOfService_andOfSomeWeight() {
    snapshot(
        "1",
        false,
        alive("ann", 1),
        in(MemberState.MEMBER_STATE_SUSPECT, "bob", 2),
        in(MemberState.MEMBER_STATE_DRAINING, "carl", 3),
        alive("dora", 4).toBuilder().setOverride(Override.OVERRIDE_OUT_OF_SERVICE).build(),
        alive("eve", 5).toBuilder().setWeight(0).build());
    assertEquals(List.of("ann", "bob"), serving());
    assertEquals(5, fold.view().members().size());
  }

  @Test
  void drainingMember_thatIsSuspect_stillDrains() {
    snapshot("1", false, in(MemberState.MEMBER_STATE_DRAINING, "ann", 1));
    changed(in(MemberState.MEMBER_STATE_SUSPECT, "ann", 1));
    assertEquals(List.of(), serving());
    changed(alive("ann", 1));
    assertEquals(List.of("ann"), serving());
    changed(in(MemberState.MEMBER_STATE_SUSPECT, "ann", 1));
    assertEquals(List.of("ann"), serving());
  }

  @Test
  void newIncarnation_ofADrainingMember_serves() {
    snapshot("1", false, in(MemberState.MEMBER_STATE_DRAINING, "ann", 1));
    events("2", event(MemberEvent.Type.TYPE_REGISTERED, alive("ann", 2)));
    assertEquals(List.of("ann"), serving());
  }

  private void changed(Member member) {
    events("9", event(MemberEvent.Type.TYPE_CHANGED, member));
  }

  private boolean events(String token, MemberEvent... all) {
    return fold.take(
        WatchMembersResponse.newBuilder()
            .setEvents(MemberEvents.newBuilder().addAllEvents(List.of(all)))
            .setResumeToken(token)
            .build());
  }

  private void snapshot(String token, boolean more, Member... members) {
    fold.take(
        WatchMembersResponse.newBuilder()
            .setSnapshot(MemberSnapshot.newBuilder().addAllMembers(List.of(members)).setMore(more))
            .setResumeToken(token)
            .build());
  }

  private static MemberEvent event(MemberEvent.Type type, Member member) {
    return MemberEvent.newBuilder().setType(type).setMember(member).build();
  }

  private static MemberGap gap() {
    return MemberGap.getDefaultInstance();
  }

  private static Member alive(String name, long incarnation) {
    return in(MemberState.MEMBER_STATE_ALIVE, name, incarnation);
  }

  private static Member in(MemberState state, String name, long incarnation) {
    return Member.newBuilder()
        .setGroup("web")
        .setName(name)
        .setIncarnation(incarnation)
        .setWeight(100)
        .setState(state)
        .build();
  }

  private List<String> names() {
    return fold.view().members().stream().map(Member::getName).toList();
  }

  private List<String> serving() {
    return fold.view().serving().stream().map(Member::getName).toList();
  }
}
