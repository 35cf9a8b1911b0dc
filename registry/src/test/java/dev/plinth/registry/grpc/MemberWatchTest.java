package dev.plinth.registry.grpc;

import static dev.plinth.registry.grpc.RegistryCalls.LONG;
import static dev.plinth.registry.grpc.RegistryCalls.SHORT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.registry.v1.LabelFilter;
import dev.plinth.registry.v1.Member;
import dev.plinth.registry.v1.MemberEvent;
import dev.plinth.registry.v1.MemberState;
import dev.plinth.registry.v1.OpenSessionResponse;
import dev.plinth.registry.v1.Override;
import dev.plinth.registry.v1.WatchMembersRequest;
import dev.plinth.registry.v1.WatchMembersResponse;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.call.RecordedStream;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** WatchMembers: a snapshot, then every event, and on from where an earlier watch was. */
@OnEachStore(RegistryWiring.class)
class MemberWatchTest {
  @Parameter ShardServer server;
  private RegistryCalls calls;
  private OpenSessionResponse session;

  @BeforeEach
  void begin() {
    calls = new RegistryCalls(server);
    session = calls.open(LONG);
  }

  @Test
  void R4_watch_showsTheMembersOfNow_thenEveryChange_asAListDoes() {
    Member a = calls.register(session, "a");
    var watch = calls.watch(calls.watching());
    assertEquals(List.of(a), watch.next().getSnapshot().getMembersList());
    OpenSessionResponse brief = calls.open(SHORT);
    calls.register(brief, "b");
    assertEquals(
        List.of("b REGISTERED ALIVE", "b CHANGED SUSPECT", "b DEAD DEAD"), events(watch, 3));
    calls.registry().updateMember(calls.updating(a, "draining").setDraining(true).build());
    calls
        .registry()
        .setOverride(calls.overriding("a").setOverride(Override.OVERRIDE_OUT_OF_SERVICE).build());
    calls.register(session, "a");
    calls.register(session, "c");
    calls.close(session);
    List<String> told = events(watch, 6);
    assertEquals(
        List.of(
            "a CHANGED DRAINING", "a CHANGED DRAINING", "a REGISTERED ALIVE", "c REGISTERED ALIVE"),
        told.subList(0, 4));
    assertEquals(List.of("a LEFT LEFT", "c LEFT LEFT"), told.subList(4, 6));
  }

  @Test
  void R4_foldOfAWatch_isTheList() {
    var watch = calls.watch(calls.watching());
    watch.next();
    TreeMap<String, Member> folded = new TreeMap<>();
    for (int i = 0; i < 40; i++) {
      Member member = calls.register(session, "m-" + i % 9);
      if (i % 3 == 0) {
        calls.registry().deregister(calls.deregistering(member).build());
      }
    }
    Member last = calls.register(session, "z");
    boolean done = false;
    while (!done) {
      for (MemberEvent event : watch.next().getEvents().getEventsList()) {
        Member member = event.getMember();
        if (event.getType() == MemberEvent.Type.TYPE_LEFT) {
          folded.remove(member.getName());
        } else {
          folded.put(member.getName(), member);
        }
        done |= member.equals(last);
      }
    }
    assertEquals(calls.list(), List.copyOf(folded.values()));
  }

  @Test
  void W1_checksum_isThatOfTheFold_afterEveryMessage() {
    calls.register(session, "a");
    calls.register(calls.registering(session, "db").setGroup("db"));
    var all = calls.watch(calls.watching());
    var web = calls.watch(calls.watching().setGroup("web"));
    OpenSessionResponse brief = calls.open(SHORT);
    Member b = calls.register(brief, "b");
    calls.registry().updateMember(calls.updating(b, "weight").setWeight(3).build());
    calls
        .registry()
        .setOverride(calls.overriding("b").setOverride(Override.OVERRIDE_OUT_OF_SERVICE).build());
    calls.awaitState("b", MemberState.MEMBER_STATE_DEAD);
    calls.register(session, "a");
    calls.register(session, "c");
    calls.close(session);
    checkChecksums(all);
    checkChecksums(web);
    var filtered =
        calls.watch(calls.watching().addFilters(LabelFilter.newBuilder().setKey("zone")));
    assertFalse(filtered.next().hasChecksum(), "it is of all members");
  }

  /** Up to the end of all members. */
  private static void checkChecksums(
      RecordedStream<WatchMembersRequest, WatchMembersResponse> watch) {
    TreeMap<String, Member> folded = new TreeMap<>();
    WatchMembersResponse first = watch.next();
    first.getSnapshot().getMembersList().forEach(member -> folded.put(path(member), member));
    assertEquals(WatchChecksum.ofMembers(folded.values()), first.getChecksum());
    while (!folded.isEmpty()) {
      WatchMembersResponse next = watch.next(WatchMembersResponse::hasEvents);
      for (MemberEvent event : next.getEvents().getEventsList()) {
        switch (event.getType()) {
          case TYPE_DEAD, TYPE_LEFT -> folded.remove(path(event.getMember()));
          default -> folded.put(path(event.getMember()), event.getMember());
        }
      }
      assertTrue(next.hasChecksum());
      assertEquals(WatchChecksum.ofMembers(folded.values()), next.getChecksum(), "W1");
    }
  }

  private static String path(Member member) {
    return member.getGroup() + "/" + member.getName();
  }

  @Test
  void watch_isForItsGroupAndLabelsAlone_andTellsOfProgress() {
    var zoneA =
        calls.watch(
            calls
                .watching()
                .setGroup("web")
                .addFilters(LabelFilter.newBuilder().setKey("zone").addValues("a")));
    assertTrue(zoneA.next().hasSnapshot());
    calls.register(calls.registering(session, "db").setGroup("db").putLabels("zone", "a"));
    calls.register(calls.registering(session, "other").putLabels("zone", "b"));
    Member mine = calls.register(calls.registering(session, "mine").putLabels("zone", "a"));
    calls.registry().updateMember(calls.updating(mine, "labels").putLabels("zone", "b").build());
    calls.registry().updateMember(calls.updating(mine, "weight").setWeight(3).build());
    calls.registry().updateMember(calls.updating(mine, "labels").putLabels("zone", "a").build());
    calls.register(calls.registering(session, "mine").putLabels("zone", "c"));
    assertEquals(
        List.of(
            "mine REGISTERED ALIVE",
            "mine UNMATCHED ALIVE",
            "mine CHANGED ALIVE",
            "mine UNMATCHED ALIVE"),
        events(zoneA, 4));
    zoneA.next(WatchMembersResponse::hasProgress);
  }

  @Test
  void W2_watch_resumesAtEachPoint_withoutASnapshot() {
    var whole = calls.watch(calls.watching());
    List<String> tokens = new ArrayList<>(List.of(whole.next().getResumeToken()));
    List<Integer> toldBefore = new ArrayList<>(List.of(0));
    List<String> told = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      calls.registry().deregister(calls.deregistering(calls.register(session, "m")).build());
    }
    while (told.size() < 12) {
      WatchMembersResponse next = whole.next(WatchMembersResponse::hasEvents);
      told.addAll(lines(next));
      tokens.add(next.getResumeToken());
      toldBefore.add(told.size());
    }
    for (int i = 0; i < tokens.size() - 1; i++) {
      var again = calls.watch(calls.watching().setResumeToken(tokens.get(i)));
      List<String> rest = told.subList(toldBefore.get(i), told.size());
      assertEquals(rest, events(again, rest.size()));
      again.cancel();
    }
  }

  @Test
  void watchGap_fromBeforeARestart_isTold_andASnapshotFollows() {
    String token = calls.watch(calls.watching()).next().getResumeToken();
    calls.register(session, "a");
    server.restart();
    var again = calls.watch(calls.watching().setResumeToken(token));
    assertTrue(again.next().hasGap());
    assertEquals("a", again.next().getSnapshot().getMembers(0).getName());
  }

  @Test
  void largeSession_thatCloses_isToldWhole() {
    for (int i = 0; i < 300; i++) {
      calls.register(session, "m-" + i);
    }
    var watch = calls.watch(calls.watching());
    assertEquals(300, watch.next().getSnapshot().getMembersCount());
    assertEquals(300, calls.close(session));
    assertEquals(300, events(watch, 300).stream().distinct().count());
  }

  private static List<String> events(
      RecordedStream<WatchMembersRequest, WatchMembersResponse> watch, int count) {
    List<String> seen = new ArrayList<>();
    while (seen.size() < count) {
      seen.addAll(lines(watch.next()));
    }
    return seen;
  }

  private static List<String> lines(WatchMembersResponse message) {
    return message.getEvents().getEventsList().stream().map(MemberWatchTest::line).toList();
  }

  private static String line(MemberEvent event) {
    return event.getMember().getName()
        + event.getType().name().replace("TYPE_", " ")
        + event.getMember().getState().name().replace("MEMBER_STATE_", " ");
  }
}
