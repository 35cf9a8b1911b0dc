package dev.plinth.registry.grpc;

import static dev.plinth.registry.grpc.RegistryCalls.LONG;
import static dev.plinth.registry.grpc.RegistryCalls.SHORT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.registry.v1.DeregisterResponse;
import dev.plinth.registry.v1.EndCause;
import dev.plinth.registry.v1.ExplainMemberResponse;
import dev.plinth.registry.v1.LabelFilter;
import dev.plinth.registry.v1.ListMembersResponse;
import dev.plinth.registry.v1.Member;
import dev.plinth.registry.v1.MemberState;
import dev.plinth.registry.v1.OpenSessionResponse;
import dev.plinth.registry.v1.Override;
import dev.plinth.registry.v1.RegisterRequest;
import dev.plinth.registry.v1.RegisterResponse;
import dev.plinth.registry.v1.ReleaseExpiryHoldRequest;
import dev.plinth.registry.v1.SetOverrideResponse;
import dev.plinth.registry.v1.UpdateMemberRequest;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.Refusal;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Members: registered, changed, listed, explained, ended. */
@OnEachStore(RegistryWiring.class)
class MemberCallsTest {
  @Parameter ShardServer server;
  private RegistryCalls calls;
  private OpenSessionResponse session;

  @BeforeEach
  void begin() {
    calls = new RegistryCalls(server);
    session = calls.open(LONG);
  }

  @Test
  void register_isANewIncarnationEachTime_butNotForARequestSentAgain() {
    RegisterRequest request =
        calls
            .registering(session, "a")
            .putLabels("zone", "a")
            .putLabels("ünï", "")
            .setWeight(7)
            .setRequestId("r")
            .build();
    RegisterResponse first = calls.registry().register(request);
    assertEquals(RegisterResponse.Outcome.OUTCOME_REGISTERED, first.getOutcome());
    assertEquals(first, calls.registry().register(request));
    Member member = first.getMember();
    assertEquals(request.getLabelsMap(), member.getLabelsMap());
    assertEquals(request.getEndpointsList(), member.getEndpointsList());
    assertEquals(7, member.getWeight());
    assertEquals(1, member.getVersion());
    assertEquals(MemberState.MEMBER_STATE_ALIVE, member.getState());
    Member next = calls.register(calls.registering(session, "a"));
    assertTrue(next.getIncarnation() > member.getIncarnation());
    assertEquals(100, next.getWeight());
    server.restart();
    assertEquals(next, calls.get("a"));
  }

  @Test
  void register_ofATakenName_isAnOutcome() {
    Member member = calls.register(session, "a");
    OpenSessionResponse other = calls.open(LONG);
    RegisterResponse taken = calls.registry().register(calls.registering(other, "a").build());
    assertEquals(RegisterResponse.Outcome.OUTCOME_TAKEN, taken.getOutcome());
    assertEquals(member, taken.getMember());
    Member replaced = calls.register(calls.registering(other, "a").setReplace(true));
    assertEquals(other.getSessionId(), replaced.getSessionId());
    assertEquals("a", calls.beat(session).getLost(0).getName());
  }

  @Test
  void update_changesWhatTheMaskNames_underItsVersion() {
    Member member = calls.register(calls.registering(session, "a").putLabels("zone", "a"));
    UpdateMemberRequest request =
        calls
            .updating(member, "weight", "draining")
            .setWeight(0)
            .setDraining(true)
            .setExpectedVersion(1)
            .setRequestId("u")
            .build();
    Member changed = calls.registry().updateMember(request).getMember();
    assertEquals(changed, calls.registry().updateMember(request).getMember());
    assertEquals(MemberState.MEMBER_STATE_DRAINING, changed.getState());
    assertEquals(0, changed.getWeight());
    assertEquals(2, changed.getVersion());
    assertEquals(member.getLabelsMap(), changed.getLabelsMap());
    Refusal.of(() -> calls.registry().updateMember(request.toBuilder().clearRequestId().build()))
        .is(Status.Code.ABORTED, ErrorReason.ERROR_REASON_REVISION_CONFLICT);
    Member bare =
        calls
            .registry()
            .updateMember(calls.updating(member, "labels", "endpoints").build())
            .getMember();
    assertEquals(0, bare.getLabelsCount() + bare.getEndpointsCount());
  }

  @Test
  void ghostMember_whatAnEarlierIncarnationSends_isStale() {
    Member old = calls.register(session, "a");
    Member now = calls.register(session, "a");
    Refusal stale =
        Refusal.of(() -> calls.registry().updateMember(calls.updating(old, "draining").build()));
    stale.is(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_INCARNATION_STALE);
    assertEquals(String.valueOf(now.getIncarnation()), stale.metadata().get("current"));
    assertEquals(
        DeregisterResponse.Outcome.OUTCOME_SUPERSEDED,
        calls
            .registry()
            .deregister(calls.deregistering(old).setIncarnation(old.getIncarnation()).build())
            .getOutcome());
    assertEquals(now, calls.get("a"));
    Refusal.of(
            () ->
                calls
                    .registry()
                    .updateMember(calls.updating(now, "weight").setName("none").build()))
        .is(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_MEMBER_UNKNOWN);
  }

  @Test
  void deregister_hasAnOutcome_andLeavesTheSession() {
    Member member = calls.register(session, "a");
    OpenSessionResponse other = calls.open(LONG);
    assertEquals(
        DeregisterResponse.Outcome.OUTCOME_SUPERSEDED,
        calls
            .registry()
            .deregister(calls.deregistering(member).setSessionId(other.getSessionId()).build())
            .getOutcome());
    var request = calls.deregistering(member).setRequestId("d").build();
    DeregisterResponse left = calls.registry().deregister(request);
    assertEquals(DeregisterResponse.Outcome.OUTCOME_LEFT, left.getOutcome());
    assertEquals(left, calls.registry().deregister(request));
    assertEquals(
        DeregisterResponse.Outcome.OUTCOME_GONE,
        calls.registry().deregister(calls.deregistering(member).build()).getOutcome());
    assertEquals(MemberState.MEMBER_STATE_LEFT, calls.state("a"));
    assertEquals(0, calls.beat(session).getMembers());
  }

  @Test
  void get_ofNone_isNotFound() {
    Refusal.of(() -> calls.get("none"))
        .is(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_MEMBER_UNKNOWN);
    Refusal.of(() -> calls.explain("none"))
        .is(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_MEMBER_UNKNOWN);
  }

  @Test
  void override_belongsToTheName_overRegistrationsAndRestarts() {
    SetOverrideResponse none =
        calls
            .registry()
            .setOverride(
                calls.overriding("a").setOverride(Override.OVERRIDE_OUT_OF_SERVICE).build());
    assertFalse(none.hasMember());
    assertEquals(Override.OVERRIDE_OUT_OF_SERVICE, calls.register(session, "a").getOverride());
    server.restart();
    calls.register(session, "a");
    ExplainMemberResponse why = calls.explain("a");
    assertEquals("olga", why.getOverride().getActor());
    assertEquals("bad disk", why.getOverride().getReason());
    assertTrue(why.getOverride().hasSetAt());
    assertEquals(0, why.getSession().getSilentFor().getNanos() % 1_000_000, "in milliseconds");
    assertEquals(0, why.getSession().getDeadIn().getNanos() % 1_000_000, "in milliseconds");
    assertTrue(why.getWhy().endsWith("; olga set it out of service (bad disk)"), why.getWhy());
    Member back = calls.registry().setOverride(calls.overriding("a").build()).getMember();
    assertEquals(Override.OVERRIDE_UNSPECIFIED, back.getOverride());
  }

  @Test
  void list_hasEveryMemberOnce_whateverThePageSizeAndFilter() {
    for (int i = 0; i < 30; i++) {
      calls.register(
          calls
              .registering(session, "m/" + i)
              .setGroup(i % 2 == 0 ? "web" : "db")
              .putLabels("zone", i % 3 == 0 ? "a" : "b"));
    }
    for (int size : new int[] {1, 7, 1000}) {
      assertEquals(30, names(size, "").stream().distinct().count());
      assertEquals(30, names(size, "").size());
      assertEquals(15, names(size, "db").size());
      assertEquals(10, names(size, "", filter("zone", false, "a", "c")).size());
      assertEquals(5, names(size, "web", filter("zone", false), filter("zone", false, "a")).size());
      assertEquals(20, names(size, "", filter("zone", true, "a")).size());
      assertEquals(0, names(size, "", filter("zone", true)).size());
      assertEquals(30, names(size, "", filter("rack", true)).size());
    }
    assertEquals(0, names(10, "none").size());
  }

  private static LabelFilter filter(String key, boolean absent, String... values) {
    return LabelFilter.newBuilder()
        .setKey(key)
        .setAbsent(absent)
        .addAllValues(List.of(values))
        .build();
  }

  private List<String> names(int size, String group, LabelFilter... filters) {
    List<String> found = new ArrayList<>();
    String token = "";
    do {
      ListMembersResponse page =
          calls
              .registry()
              .listMembers(
                  calls
                      .listing()
                      .setGroup(group)
                      .addAllFilters(List.of(filters))
                      .setPageSize(size)
                      .setPageToken(token)
                      .build());
      assertTrue(page.getMembersCount() <= size);
      page.getMembersList().forEach(member -> found.add(member.getGroup() + member.getName()));
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    return found;
  }

  @Test
  void massExpiry_isHeldBack_visibly_untilAnOperatorReleasesIt() {
    OpenSessionResponse brief = calls.open(Durations.fromSeconds(4));
    for (int i = 0; i < 20; i++) {
      calls.register(brief, "m-" + i);
    }
    Await.until("three are dead", () -> calls.list().size() == 17);
    ListMembersResponse page = calls.registry().listMembers(calls.listing().build());
    assertEquals(17, page.getExpiryHeld());
    Member held = page.getMembers(0);
    assertTrue(held.getExpiryHeld());
    assertEquals(MemberState.MEMBER_STATE_SUSPECT, held.getState());
    ExplainMemberResponse why = calls.explain(held.getName());
    assertEquals(17, why.getHold().getHeld());
    assertEquals(3, why.getHold().getExpired());
    assertEquals(3, why.getHold().getLimit());
    assertTrue(why.getHold().hasLeft());
    var release =
        ReleaseExpiryHoldRequest.newBuilder()
            .setNamespace(calls.namespace)
            .setGroup(RegistryCalls.GROUP)
            .setRequestId("x")
            .build();
    assertEquals(17, calls.registry().releaseExpiryHold(release).getReleased());
    assertEquals(17, calls.registry().releaseExpiryHold(release).getReleased(), "the same answer");
    assertEquals(0, calls.list().size());
    assertEquals(
        EndCause.END_CAUSE_HOLD_RELEASED, calls.explain(held.getName()).getEnd().getCause());
    assertEquals(
        17.0,
        server
            .meters()
            .get("plinth.registry.ends")
            .tag("cause", "HOLD_RELEASED")
            .counter()
            .count());
  }

  @Test
  void falseLiveness_aHoldEndsByItself() {
    OpenSessionResponse brief = calls.open(SHORT);
    for (int i = 0; i < 5; i++) {
      calls.register(brief, "m-" + i);
    }
    Await.until("all are dead", () -> calls.list().isEmpty());
    assertEquals(EndCause.END_CAUSE_EXPIRED, calls.explain("m-0").getEnd().getCause());
  }
}
