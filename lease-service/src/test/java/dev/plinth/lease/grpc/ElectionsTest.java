package dev.plinth.lease.grpc;

import static dev.plinth.lease.grpc.LeaseCalls.BRIEF;
import static dev.plinth.lease.grpc.LeaseCalls.LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.util.Durations;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.v1.CampaignOnceRequest;
import dev.plinth.lease.v1.CampaignOnceResponse;
import dev.plinth.lease.v1.CampaignOnceResponse.Outcome;
import dev.plinth.lease.v1.Candidate;
import dev.plinth.lease.v1.GetLeaderRequest;
import dev.plinth.lease.v1.GetLeaderResponse;
import dev.plinth.lease.v1.Leader;
import dev.plinth.lease.v1.ListCandidatesRequest;
import dev.plinth.lease.v1.ProclaimRequest;
import dev.plinth.lease.v1.ProclaimResponse;
import dev.plinth.lease.v1.ResignRequest;
import dev.plinth.lease.v1.ResignResponse;
import dev.plinth.lease.v1.TransferLeadershipRequest;
import dev.plinth.lease.v1.TransferLeadershipResponse;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.Refusal;
import io.grpc.Status;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Elections by single calls. Their streams are in CampaignTest and ObserveTest. */
@OnEachStore(LeaseWiring.class)
class ElectionsTest {
  private static final String ELECTION = "boss";

  @Parameter ShardServer server;
  private LeaseCalls calls;

  @BeforeEach
  void begin() {
    calls = new LeaseCalls(server);
  }

  @Test
  void electionWithoutALeader_isAnAnswer() {
    assertEquals(GetLeaderResponse.getDefaultInstance(), leader());
    assertEquals(0, candidates().size());
  }

  @Test
  void campaignOnce_ofAFreeElection_elects_andTheLeaderLeadsAlready() {
    String session = calls.session("ann");
    CampaignOnceRequest.Builder ann = candidacy("ann", session).setValue(text("host-1"));
    CampaignOnceResponse elected = campaign(ann.clone().setRequestId("e1"));
    assertEquals(Outcome.OUTCOME_ELECTED, elected.getOutcome());
    Leader leader = elected.getLeader();
    assertEquals("ann", leader.getCandidateId());
    assertEquals(session, leader.getSessionId());
    assertEquals(1, leader.getTerm());
    assertTrue(leader.getToken() > 0);
    assertEquals("host-1", leader.getValue().toStringUtf8());
    assertEquals(LONG, leader.getTtl());
    assertTrue(leader.hasSince());
    assertEquals(elected, campaign(ann.clone().setRequestId("e1")), "sent again");
    CampaignOnceResponse leading = campaign(ann);
    assertEquals(Outcome.OUTCOME_LEADING, leading.getOutcome());
    assertEquals(leader, leading.getLeader());
    assertEquals(leader, leader().getLeader());
    assertEquals(ResignResponse.Outcome.OUTCOME_RESIGNED, resign(leader), "once is enough");
    assertFalse(leader().hasLeader());
    assertEquals(1, leader().getTerm());
  }

  @Test
  void campaignOnce_ofALedElection_isNotElected_atOnceOrAfterTheWait() {
    Leader ann = elect("ann");
    String session = calls.session("bob");
    CampaignOnceResponse bob = campaign(candidacy("bob", session));
    assertEquals(Outcome.OUTCOME_NOT_ELECTED, bob.getOutcome());
    assertEquals(ann, bob.getLeader());
    CampaignOnceResponse waited = campaign(candidacy("bob", session).setWait(BRIEF));
    assertEquals(Outcome.OUTCOME_NOT_ELECTED, waited.getOutcome());
    assertEquals(ann, waited.getLeader());
    assertEquals(0, candidates().size());
  }

  @Test
  void campaignOnce_waits_andLeadsTheNextTerm() throws Exception {
    Leader ann = elect("ann");
    String session = calls.session("bob");
    var bob = LeaseCalls.async(() -> campaign(candidacy("bob", session).setWait(LONG)));
    Await.until("bob stands", () -> candidates().size() == 1);
    resign(ann);
    Leader next = LeaseCalls.get(bob).getLeader();
    assertEquals(2, next.getTerm());
    assertTrue(next.getToken() > ann.getToken());
  }

  @Test
  void campaignOnce_afterALoss_isDelayed() {
    String brief =
        calls
            .open(calls.opening("ann").setTtl(Durations.fromSeconds(1)).setLockDelay(LONG))
            .getSessionId();
    campaign(candidacy("ann", brief));
    Await.until("ann is lost", () -> !leader().hasLeader());
    assertTrue(Durations.isPositive(leader().getDelayedFor()));
    CampaignOnceResponse bob = campaign(candidacy("bob", calls.session("bob")));
    assertEquals(Outcome.OUTCOME_DELAYED, bob.getOutcome());
    assertTrue(Durations.isPositive(bob.getRetryAfter()));
    assertFalse(bob.hasLeader());
  }

  @Test
  void campaignOnce_withoutAnOpenSession_isRefused() {
    Refusal.of(() -> campaign(candidacy("ann", "s-none")))
        .is(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_SESSION_EXPIRED);
  }

  @Test
  void proclaim_replacesTheValue_forTheLeaderAlone() {
    Leader ann = elect("ann");
    ProclaimRequest.Builder request =
        ProclaimRequest.newBuilder()
            .setNamespace(calls.namespace)
            .setElection(ELECTION)
            .setToken(ann.getToken())
            .setValue(text("host-2"));
    ProclaimResponse proclaimed = calls.elections().proclaim(request.build());
    assertEquals(ProclaimResponse.Outcome.OUTCOME_PROCLAIMED, proclaimed.getOutcome());
    assertEquals("host-2", proclaimed.getLeader().getValue().toStringUtf8());
    assertEquals(proclaimed.getLeader(), leader().getLeader());
    ProclaimResponse stale =
        calls.elections().proclaim(request.setToken(ann.getToken() - 1).build());
    assertEquals(ProclaimResponse.Outcome.OUTCOME_NOT_LEADER, stale.getOutcome());
    assertFalse(stale.hasLeader());
  }

  @Test
  void resign_isForTheLeaderAlone_andSentAgainCountsOnce() {
    Leader ann = elect("ann");
    ResignRequest request =
        ResignRequest.newBuilder()
            .setNamespace(calls.namespace)
            .setElection(ELECTION)
            .setToken(ann.getToken())
            .setRequestId("r1")
            .build();
    assertEquals(
        ResignResponse.Outcome.OUTCOME_RESIGNED, calls.elections().resign(request).getOutcome());
    assertEquals(
        ResignResponse.Outcome.OUTCOME_RESIGNED, calls.elections().resign(request).getOutcome());
    assertEquals(ResignResponse.Outcome.OUTCOME_NOT_LEADER, resign(ann));
  }

  @Test
  void transferLeadership_picksACandidate_whereverInLine() {
    Leader ann = elect("ann");
    for (String candidate : List.of("bob", "cid")) {
      calls.campaign(calls.candidacy(ELECTION, candidate, calls.session(candidate))).next();
    }
    TransferLeadershipRequest.Builder request =
        TransferLeadershipRequest.newBuilder()
            .setNamespace(calls.namespace)
            .setElection(ELECTION)
            .setToken(ann.getToken());
    assertEquals(
        TransferLeadershipResponse.Outcome.OUTCOME_NO_SUCH_CANDIDATE,
        transfer(request.setToCandidateId("eve")).getOutcome());
    assertEquals(ann, leader().getLeader(), "nothing changed");
    TransferLeadershipResponse given = transfer(request.setToCandidateId("cid").setRequestId("t1"));
    assertEquals(TransferLeadershipResponse.Outcome.OUTCOME_TRANSFERRED, given.getOutcome());
    assertEquals("cid", given.getLeader().getCandidateId());
    assertEquals(2, given.getLeader().getTerm());
    assertEquals(given.getLeader(), leader().getLeader());
    assertEquals(given, transfer(request), "sent again");
    assertEquals(List.of("bob"), candidates().stream().map(Candidate::getCandidateId).toList());
    assertEquals(
        TransferLeadershipResponse.Outcome.OUTCOME_NOT_LEADER,
        transfer(request.setToCandidateId("bob").clearRequestId()).getOutcome());
  }

  @Test
  void listCandidates_isInTheOrderOfTheLine() {
    elect("ann");
    String session = calls.session("cid");
    calls.campaign(calls.candidacy(ELECTION, "bob", calls.session("bob"))).next();
    calls
        .campaign(calls.candidacy(ELECTION, "cid", session).setPriority(3).setValue(text("host-3")))
        .next();
    List<Candidate> line = candidates();
    assertEquals(List.of("cid", "bob"), line.stream().map(Candidate::getCandidateId).toList());
    assertEquals(session, line.get(0).getSessionId());
    assertEquals(3, line.get(0).getPriority());
    assertEquals("host-3", line.get(0).getValue().toStringUtf8());
    assertTrue(line.get(0).hasWaited());
  }

  @Test
  void termsAndLeaders_surviveARestart() {
    resign(elect("ann"));
    Leader bob = elect("bob");
    assertEquals(2, bob.getTerm());
    server.restart();
    assertEquals(
        bob.toBuilder().clearSince().build(),
        leader().getLeader().toBuilder().clearSince().build());
    resign(bob);
    server.restart();
    assertEquals(2, leader().getTerm());
    assertEquals(3, elect("cid").getTerm());
  }

  @Test
  void leadership_isALease_forTheOtherService() {
    Leader ann = elect("ann");
    assertEquals(ann.getToken(), calls.key("election/" + ELECTION).getHolders(0).getToken());
    assertEquals(ann.getTerm(), calls.key("election/" + ELECTION).getHolders(0).getTerm());
    calls.leases().forceRelease(calls.force("election/" + ELECTION).build());
    assertFalse(leader().hasLeader());
    assertEquals(1, calls.history(calls.historyOf("election/" + ELECTION)).get(1).getTerm());
  }

  private CampaignOnceRequest.Builder candidacy(String candidate, String session) {
    return CampaignOnceRequest.newBuilder()
        .setNamespace(calls.namespace)
        .setElection(ELECTION)
        .setCandidateId(candidate)
        .setSessionId(session);
  }

  private CampaignOnceResponse campaign(CampaignOnceRequest.Builder request) {
    return calls.elections().campaignOnce(request.build());
  }

  private Leader elect(String candidate) {
    CampaignOnceResponse answer = campaign(candidacy(candidate, calls.session(candidate)));
    assertEquals(Outcome.OUTCOME_ELECTED, answer.getOutcome());
    return answer.getLeader();
  }

  private ResignResponse.Outcome resign(Leader leader) {
    return calls
        .elections()
        .resign(
            ResignRequest.newBuilder()
                .setNamespace(calls.namespace)
                .setElection(ELECTION)
                .setToken(leader.getToken())
                .build())
        .getOutcome();
  }

  private TransferLeadershipResponse transfer(TransferLeadershipRequest.Builder request) {
    return calls.elections().transferLeadership(request.build());
  }

  private GetLeaderResponse leader() {
    return calls
        .elections()
        .getLeader(
            GetLeaderRequest.newBuilder()
                .setNamespace(calls.namespace)
                .setElection(ELECTION)
                .build());
  }

  private List<Candidate> candidates() {
    return calls
        .elections()
        .listCandidates(
            ListCandidatesRequest.newBuilder()
                .setNamespace(calls.namespace)
                .setElection(ELECTION)
                .build())
        .getCandidatesList();
  }

  private static ByteString text(String text) {
    return ByteString.copyFromUtf8(text);
  }
}
