package dev.plinth.registry.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What there may be only so much of, and what lists cost. */
class BoundsTest extends CoreTest {
  private void full(Runnable call) {
    int written = tx.written();
    refused(ErrorReason.ERROR_REASON_QUOTA_EXCEEDED, call);
    assertEquals(written, tx.written());
  }

  private SessionKey fill(int count) {
    SessionKey session = null;
    for (int i = 0; i < count; i++) {
      session = i % MemberSessions.MAX_MEMBERS == 0 ? open("filler") : session;
      register(new MemberName(SPACE, "web", "m-%05d".formatted(i)), session);
    }
    return session;
  }

  @Test
  void members_ofAGroup_areBounded() {
    fill(MemberGroup.MAX_MEMBERS);
    SessionKey session = open("one more");
    full(() -> register(WEB_1, session));
    register(new MemberName(SPACE, "db", "m"), session);
    MemberName last = new MemberName(SPACE, "web", "m-09999");
    members.deregister(last, "", Optional.empty(), MemberEnd.forced("olga", ""), tx.next());
    register(WEB_1, session);
  }

  @Test
  void sessions_ofANamespace_areBounded() {
    for (int i = 0; i < RegistryNamespace.MAX_SESSIONS; i++) {
      open("filler");
    }
    full(() -> open("one more"));
    members.sessions().open("elsewhere", "a", TTL, tx.next());
  }

  @Test
  void overrides_ofANamespace_areBounded() {
    for (int i = 0; i < RegistryNamespace.MAX_OVERRIDES; i++) {
      members.takeOutOfService(web(i), "olga", "", tx.next());
    }
    full(() -> members.takeOutOfService(web(-1), "olga", "", tx.next()));
    members.takeOutOfService(web(0), "otto", "again", tx.next());
    members.endOverride(web(0), tx.next());
    members.takeOutOfService(web(-1), "olga", "", tx.next());
  }

  @Test
  void bytes_ofANamespace_areBounded_andGivenBack() {
    SessionKey session = open("a");
    RegistryNamespace namespace = members.table.namespace(SPACE);
    MemberView member = register(WEB_1, session, Map.of("zone", "a"));
    long one = namespace.memberBytes;
    assertTrue(one > 0);
    register(WEB_1, session, Map.of("zone", "a"));
    assertEquals(one, namespace.memberBytes, "one replaces the other");
    namespace.memberBytes += RegistryNamespace.MAX_BYTES;
    full(() -> register(web(2), session));
    MemberView now = members.get(WEB_1);
    MemberUpdate larger =
        new MemberUpdate(
            Optional.of(Map.of("zone", "abc")),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    full(() -> members.update(WEB_1, now.incarnation(), larger, Optional.empty(), tx.next()));
    namespace.memberBytes -= RegistryNamespace.MAX_BYTES;
    members.update(WEB_1, now.incarnation(), larger, Optional.empty(), tx.next());
    assertEquals(one + 2, namespace.memberBytes);
    takeOver();
    assertEquals(one + 2, members.table.namespace(SPACE).memberBytes);
    close(session);
    long tombstone = members.table.namespace(SPACE).memberBytes;
    assertTrue(tombstone > 0 && tombstone < one);
    clock.advance(MemberTable.TOMBSTONE);
    assertEquals(0, members.namespaces());
    assertTrue(now.incarnation() > member.incarnation());
  }

  @Test
  void page_looksAtFewMoreThanItReturns() {
    fill(5000);
    LabelFilter none = new LabelFilter("zone", Set.of("a"), false);
    MemberPage page =
        members.list(
            new MemberPage.Request(SPACE, "", List.of(none), MemberPage.Position.START, 10));
    assertEquals(List.of(), page.members());
    assertEquals(Optional.of(new MemberPage.Position("web", "m-00098")), page.next());
    MemberPage full =
        members.list(
            new MemberPage.Request(
                SPACE, "web", List.of(), new MemberPage.Position("web", "m-04990"), 9));
    assertEquals("m-04999", full.members().get(8).name().member());
    assertEquals(Optional.empty(), full.next());
  }

  @Test
  void page_overGroupsOfEndedMembers_ends_andGoesOnWhereItEnded() {
    SessionKey session = open("a");
    for (int i = 0; i < 250; i++) {
      MemberName name = new MemberName(SPACE, "g-%03d".formatted(i), "m");
      register(name, session);
      if (i != 249) {
        deregister(name, session);
      }
    }
    MemberPage.Position at = MemberPage.Position.START;
    for (int group : new int[] {99, 198}) {
      MemberPage page = members.list(new MemberPage.Request(SPACE, "", List.of(), at, 10));
      assertEquals(List.of(), page.members());
      at = page.next().orElseThrow();
      assertEquals(new MemberPage.Position("g-%03d".formatted(group), ""), at);
    }
    MemberPage last = members.list(new MemberPage.Request(SPACE, "", List.of(), at, 10));
    assertEquals("g-249", last.members().get(0).name().group());
    assertEquals(Optional.empty(), last.next());
  }

  @Test
  void name_thatIsUsedAgainAndAgain_leavesOneTombstone() {
    SessionKey session = open("a");
    for (int i = 0; i < 1000; i++) {
      register(WEB_1, session);
      deregister(WEB_1, session);
    }
    assertEquals(1, members.table.tombstones());
    register(WEB_1, session);
    assertEquals(0, members.table.tombstones());
  }
}
