package dev.plinth.registry.grpc;

import static dev.plinth.registry.grpc.RegistryCalls.LONG;
import static dev.plinth.registry.grpc.RegistryCalls.SHORT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Timestamp;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.registry.v1.GetAssignmentResponse;
import dev.plinth.registry.v1.JoinGroupRequest;
import dev.plinth.registry.v1.JoinGroupResponse;
import dev.plinth.registry.v1.LeaveGroupRequest;
import dev.plinth.registry.v1.LeaveGroupResponse;
import dev.plinth.registry.v1.ListPartitionsResponse;
import dev.plinth.registry.v1.OpenSessionResponse;
import dev.plinth.registry.v1.OwnedPartition;
import dev.plinth.registry.v1.Partition;
import dev.plinth.registry.v1.PartitionRelease;
import dev.plinth.registry.v1.PartitionState;
import dev.plinth.registry.v1.ReleasePartitionsRequest;
import dev.plinth.registry.v1.ReleasePartitionsResponse;
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

/** Each outcome and error of the calls about partitions. */
@OnEachStore(RegistryWiring.class)
class PartitionCallsTest {
  @Parameter ShardServer server;
  private PartitionTestCalls calls;

  @BeforeEach
  void begin() {
    calls = new PartitionTestCalls(server);
  }

  @Test
  void join_sharesThePartitions_andSentAgainIsTheSame() {
    OpenSessionResponse a = calls.members.open(LONG);
    calls.members.register(a, "a");
    JoinGroupRequest request = calls.joining("a", a, 4).setRequestId("join").build();
    JoinGroupResponse joined = calls.partitions().joinGroup(request);
    assertEquals(JoinGroupResponse.newBuilder().setPartitionCount(4).setMembers(1).build(), joined);
    assertEquals(joined, calls.partitions().joinGroup(request));
    GetAssignmentResponse assignment = calls.assignment("a", a);
    assertEquals(4, assignment.getPartitionCount());
    assertEquals(1, assignment.getMembers());
    assertEquals(4, assignment.getPartitionsCount());
    assertEquals(0, assignment.getRevoked());
    assertEquals(
        List.of(0, 1, 2, 3),
        assignment.getPartitionsList().stream().map(OwnedPartition::getPartition).toList());
  }

  @Test
  void join_refusals() {
    OpenSessionResponse a = calls.joined("a", 4);
    OpenSessionResponse b = calls.members.open(LONG);
    Refusal.of(() -> calls.join("b", b, 4))
        .is(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_MEMBER_UNKNOWN);
    Refusal.of(() -> calls.join("a", b, 4))
        .is(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_INCARNATION_STALE);
    Refusal other = Refusal.of(() -> calls.join("a", a, 5));
    other.is(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_DEFINITION_FIXED);
    assertEquals("4", other.metadata().get("current"));
    calls.members.close(b);
    Refusal.of(() -> calls.join("b", b, 4))
        .is(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_SESSION_UNKNOWN);
  }

  @Test
  void handOver_isByReleaseAlone_withAHigherToken() {
    OpenSessionResponse a = calls.joined("a", 4);
    OpenSessionResponse b = calls.joined("b", 4);
    GetAssignmentResponse told = calls.assignment("a", a);
    assertEquals(4, told.getPartitionsCount());
    assertEquals(2, told.getRevoked());
    assertEquals(0, calls.assignment("b", b).getPartitionsCount());
    ReleasePartitionsResponse released = calls.releaseRevoked("a", a);
    assertEquals(0, released.getRevoked());
    for (PartitionRelease release : released.getPartitionsList()) {
      assertEquals(PartitionRelease.Outcome.OUTCOME_RELEASED, release.getOutcome());
    }
    GetAssignmentResponse next = calls.assignment("b", b);
    assertEquals(2, next.getPartitionsCount());
    assertEquals(2, next.getMembers());
    for (OwnedPartition owned : next.getPartitionsList()) {
      OwnedPartition before = told.getPartitions(owned.getPartition());
      assertTrue(before.getRevoked());
      assertTrue(owned.getToken() > before.getToken());
    }
  }

  @Test
  void release_outcomes_areForEachPartition_andSentAgainTheSame() {
    OpenSessionResponse a = calls.joined("a", 2);
    calls.joined("b", 2);
    List<OwnedPartition> owned = calls.assignment("a", a).getPartitionsList();
    ReleasePartitionsRequest.Builder request = calls.releasing("a", a);
    for (OwnedPartition each : owned) {
      request.addPartitionsBuilder().setPartition(each.getPartition()).setToken(each.getToken());
    }
    request.addPartitionsBuilder().setPartition(9).setToken(1);
    ReleasePartitionsRequest once = request.setRequestId("r").build();
    ReleasePartitionsResponse response = calls.partitions().releasePartitions(once);
    List<PartitionRelease.Outcome> outcomes = new ArrayList<>();
    response.getPartitionsList().forEach(each -> outcomes.add(each.getOutcome()));
    int revoked = owned.get(0).getRevoked() ? 0 : 1;
    assertEquals(PartitionRelease.Outcome.OUTCOME_RELEASED, outcomes.get(revoked));
    assertEquals(PartitionRelease.Outcome.OUTCOME_NOT_REVOKED, outcomes.get(1 - revoked));
    assertEquals(PartitionRelease.Outcome.OUTCOME_NOT_OWNED, outcomes.get(2));
    assertEquals(response, calls.partitions().releasePartitions(once));
    assertEquals(
        PartitionRelease.Outcome.OUTCOME_NOT_OWNED,
        calls
            .partitions()
            .releasePartitions(request.clearRequestId().build())
            .getPartitions(revoked)
            .getOutcome(),
        "without an id the token says that it is done");
    Refusal.of(() -> calls.partitions().releasePartitions(request.setName("nobody").build()))
        .is(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_MEMBER_NOT_JOINED);
  }

  @Test
  void leave_letsGo_andSentAgainIsTheSame() {
    OpenSessionResponse a = calls.joined("a", 3);
    OpenSessionResponse b = calls.joined("b", 3);
    LeaveGroupRequest request = calls.leaving("a", a).setRequestId("l").build();
    LeaveGroupResponse left = calls.partitions().leaveGroup(request);
    assertEquals(LeaveGroupResponse.Outcome.OUTCOME_LEFT, left.getOutcome());
    assertEquals(3, left.getReleased());
    assertEquals(left, calls.partitions().leaveGroup(request));
    assertEquals(
        LeaveGroupResponse.newBuilder().setOutcome(LeaveGroupResponse.Outcome.OUTCOME_GONE).build(),
        calls.partitions().leaveGroup(calls.leaving("a", a).build()));
    calls.awaitOwned("b", b, 3);
    Refusal.of(() -> calls.assignment("a", a))
        .is(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_MEMBER_NOT_JOINED);
  }

  @Test
  void deadMember_losesItsPartitions_silentOneDoesNotBefore() {
    calls.joined("a", 3, SHORT);
    OpenSessionResponse b = calls.joined("b", 3);
    calls.awaitOwned("b", b, 3);
    assertEquals("DEAD: its session was silent for two ttls", calls.members.explain("a").getWhy());
  }

  @Test
  void closedSession_letsGo_andTheLastEndsTheGroup() {
    OpenSessionResponse a = calls.joined("a", 3);
    OpenSessionResponse b = calls.joined("b", 3);
    calls.members.close(a);
    calls.awaitOwned("b", b, 3);
    calls.members.close(b);
    Await.until("nothing is left", () -> calls.list().isEmpty());
    assertEquals(
        ListPartitionsResponse.getDefaultInstance(),
        calls.partitions().listPartitions(calls.listing().build()));
    Refusal.of(() -> calls.explain(0))
        .is(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_PARTITION_UNKNOWN);
  }

  @Test
  void list_pages_andFindsThoseOfAnOwner() {
    OpenSessionResponse a = calls.joined("a", 7);
    calls.joined("b", 7);
    ListPartitionsResponse first =
        calls.partitions().listPartitions(calls.listing().setPageSize(5).build());
    assertEquals(5, first.getPartitionsCount());
    assertEquals(7, first.getPartitionCount());
    assertEquals(2, first.getMembers());
    assertEquals(3, first.getRevoked());
    assertEquals(0, first.getOverdue());
    ListPartitionsResponse second =
        calls
            .partitions()
            .listPartitions(
                calls.listing().setPageSize(5).setPageToken(first.getNextPageToken()).build());
    assertEquals(2, second.getPartitionsCount());
    assertEquals("", second.getNextPageToken());
    assertEquals(5, second.getPartitions(0).getPartition());
    calls.releaseRevoked("a", a);
    List<Partition> ofB =
        calls
            .partitions()
            .listPartitions(calls.listing().setOwner("b").build())
            .getPartitionsList();
    assertEquals(3, ofB.size());
    assertTrue(ofB.stream().allMatch(each -> each.getOwner().equals("b")));
  }

  @Test
  void partition_hasItsOwnerAndSince() {
    OpenSessionResponse a = calls.joined("a", 1);
    Partition partition = calls.list().get(0);
    assertEquals(PartitionState.PARTITION_STATE_ASSIGNED, partition.getState());
    assertEquals("a", partition.getOwner());
    assertEquals(a.getSessionId(), partition.getSessionId());
    assertFalse(partition.getStateSince().equals(Timestamp.getDefaultInstance()));
  }

  @Test
  void explain_saysWhyAndWhatItsOwnerDoes() {
    OpenSessionResponse a = calls.joined("a", 2);
    calls.joined("b", 2);
    var assigned = calls.explain(0);
    assertTrue(assigned.getWhy().startsWith("ASSIGNED: a of session " + a.getSessionId()));
    assertFalse(assigned.hasRevokedFor());
    assertTrue(assigned.getOwnerWhy().startsWith("ALIVE"), assigned.getOwnerWhy());
    var revoked = calls.explain(1);
    assertEquals(PartitionState.PARTITION_STATE_REVOKED, revoked.getPartition().getState());
    assertTrue(revoked.getWhy().startsWith("REVOKED: a of session "), revoked.getWhy());
    assertTrue(revoked.hasRevokedFor());
    Refusal.of(() -> calls.explain(2))
        .is(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_PARTITION_UNKNOWN);
  }

  @Test
  void restart_losesNothing_andTokensRise() {
    OpenSessionResponse a = calls.joined("a", 200);
    OpenSessionResponse b = calls.joined("b", 200);
    Await.until("all is revoked", () -> calls.assignment("a", a).getRevoked() == 100);
    calls.releaseRevoked("a", a);
    List<Partition> before = calls.list();
    server.restart();
    assertEquals(before, calls.list());
    calls.releaseRevoked("a", a);
    calls.awaitOwned("b", b, 100);
    long highest = before.stream().mapToLong(Partition::getToken).max().orElseThrow();
    long risen = calls.list().stream().filter(partition -> partition.getToken() > highest).count();
    assertEquals(36, risen);
  }

  @Test
  void largestGroup_isSharedAndHandedOver() {
    OpenSessionResponse a = calls.joined("a", 4096);
    calls.awaitOwned("a", a, 4096);
    OpenSessionResponse b = calls.joined("b", 4096);
    Await.until("half is revoked", () -> calls.assignment("a", a).getRevoked() == 2048);
    while (calls.releaseRevoked("a", a).getRevoked() > 0) {
      assertTrue(calls.assignment("a", a).getPartitionsCount() >= 2048);
    }
    calls.awaitOwned("b", b, 2048);
    assertEquals(2048, calls.assignment("a", a).getPartitionsCount());
  }
}
