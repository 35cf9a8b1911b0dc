package dev.plinth.lease.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Duration;
import com.google.protobuf.util.Durations;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.v1.CampaignRequest;
import dev.plinth.lease.v1.CampaignResponse;
import dev.plinth.lease.v1.CampaignResponse.Danger;
import dev.plinth.lease.v1.CampaignResponse.Deposed;
import dev.plinth.lease.v1.EndCause;
import dev.plinth.lease.v1.HeartbeatRequest;
import dev.plinth.lease.v1.HoldState;
import dev.plinth.lease.v1.Leader;
import dev.plinth.lease.v1.ListCandidatesRequest;
import dev.plinth.lease.v1.ResignRequest;
import dev.plinth.lease.v1.TransferLeadershipRequest;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.RecordedStream;
import io.grpc.Status;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Campaign: from standing to the end of a term. */
@OnEachStore(LeaseWiring.class)
class CampaignTest {
  private static final String ELECTION = "boss";
  private static final Duration SHORT = Durations.fromSeconds(3);

  @Parameter ShardServer server;
  private LeaseCalls calls;

  @BeforeEach
  void begin() {
    calls = new LeaseCalls(server);
  }

  @Test
  void campaign_stands_isElected_andDeposedByItsOwnWord() {
    var ann = stand("ann");
    Leader first = ann.next().getElected();
    assertEquals(1, first.getTerm());
    var bob = stand("bob");
    CampaignResponse standing = bob.next();
    assertEquals(1, standing.getStanding().getPosition());
    assertEquals(first, standing.getStanding().getLeader());
    var cid = stand("cid");
    assertEquals(2, cid.next().getStanding().getPosition());
    resign(first);
    Deposed end = deposed(ann);
    assertEquals(EndCause.END_CAUSE_RELEASED, end.getCause());
    assertEquals("ann", end.getBy());
    Leader second = bob.next().getElected();
    assertEquals("bob", second.getCandidateId());
    assertEquals(2, second.getTerm());
    assertTrue(second.getToken() > first.getToken());
    CampaignResponse moved = cid.next();
    assertEquals(1, moved.getStanding().getPosition());
    assertEquals(second, moved.getStanding().getLeader());
  }

  @Test
  void campaign_sentAgainByTheLeader_answersWithTheSameTerm() {
    String session = calls.session("ann");
    CampaignRequest.Builder candidacy = calls.candidacy(ELECTION, "ann", session);
    Leader first = calls.campaign(candidacy).next().getElected();
    var again = calls.campaign(candidacy);
    assertEquals(first, again.next().getElected());
    calls.close(session);
    assertEquals(EndCause.END_CAUSE_CLOSED, deposed(again).getCause());
  }

  @Test
  void campaign_warnsOfDanger_andTellsTheExpiry() {
    String session = calls.open(calls.opening("ann").setTtl(SHORT)).getSessionId();
    var ann = calls.campaign(calls.candidacy(ELECTION, "ann", session));
    assertTrue(ann.next().hasElected());
    Danger danger = ann.next().getDanger();
    assertEquals(HoldState.HOLD_STATE_JEOPARDY, danger.getState());
    assertTrue(Durations.compare(danger.getLeft(), SHORT) < 0);
    calls
        .leases()
        .heartbeat(
            HeartbeatRequest.newBuilder()
                .setNamespace(calls.namespace)
                .setSessionId(session)
                .build());
    assertEquals(HoldState.HOLD_STATE_SAFE, ann.next().getDanger().getState());
    assertEquals(HoldState.HOLD_STATE_JEOPARDY, ann.next().getDanger().getState());
    Deposed end = deposed(ann);
    assertEquals(EndCause.END_CAUSE_EXPIRED, end.getCause());
    assertEquals("clock", end.getBy());
  }

  @Test
  void campaign_tellsWhatAnOperatorWants_andDoes() {
    var ann = stand("ann");
    Leader leader = ann.next().getElected();
    calls.leases().forceRelease(calls.force("election/" + ELECTION).setGrace(SHORT).build());
    Danger asked = ann.next().getDanger();
    assertEquals(leader.getToken(), asked.getReleaseAsk().getToken());
    assertEquals("olga", asked.getReleaseAsk().getActor());
    Deposed end = deposed(ann);
    assertEquals(EndCause.END_CAUSE_FORCED, end.getCause());
    assertEquals("olga", end.getBy());
    assertEquals("maintenance", end.getReason());
  }

  @Test
  void transferredLeadership_isToldToBoth() {
    var ann = stand("ann");
    Leader leader = ann.next().getElected();
    var bob = stand("bob");
    bob.next();
    calls
        .elections()
        .transferLeadership(
            TransferLeadershipRequest.newBuilder()
                .setNamespace(calls.namespace)
                .setElection(ELECTION)
                .setToken(leader.getToken())
                .setToCandidateId("bob")
                .build());
    assertEquals(EndCause.END_CAUSE_TRANSFERRED, deposed(ann).getCause());
    assertEquals(2, bob.next().getElected().getTerm());
  }

  @Test
  void campaignThatIsCancelled_standsNoMore_andAComebackKeepsItsPlace() {
    stand("ann").next();
    String session = calls.session("bob");
    CampaignRequest.Builder candidacy = calls.candidacy(ELECTION, "bob", session);
    var bob = calls.campaign(candidacy);
    bob.next();
    var cid = stand("cid");
    assertEquals(2, cid.next().getStanding().getPosition());
    bob.cancel();
    assertEquals(1, cid.next().getStanding().getPosition());
    var again = calls.campaign(candidacy);
    assertEquals(1, again.next().getStanding().getPosition());
    again.cancel();
    Await.until("bob's place is given up", () -> candidates() == 1);
  }

  @Test
  void campaign_endsWithItsSession() {
    stand("ann").next();
    String session = calls.session("bob");
    var bob = calls.campaign(calls.candidacy(ELECTION, "bob", session));
    bob.next();
    calls.close(session);
    bob.refusal().is(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_SESSION_EXPIRED);
    calls
        .campaign(calls.candidacy(ELECTION, "bob", session))
        .refusal()
        .is(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_SESSION_EXPIRED);
  }

  private RecordedStream<CampaignRequest, CampaignResponse> stand(String candidate) {
    return calls.campaign(calls.candidacy(ELECTION, candidate, calls.session(candidate)));
  }

  private static Deposed deposed(RecordedStream<CampaignRequest, CampaignResponse> campaign) {
    CampaignResponse last = campaign.next();
    assertTrue(last.hasDeposed(), last.toString());
    campaign.end();
    return last.getDeposed();
  }

  private void resign(Leader leader) {
    calls
        .elections()
        .resign(
            ResignRequest.newBuilder()
                .setNamespace(calls.namespace)
                .setElection(ELECTION)
                .setToken(leader.getToken())
                .build());
  }

  private int candidates() {
    return calls
        .elections()
        .listCandidates(
            ListCandidatesRequest.newBuilder()
                .setNamespace(calls.namespace)
                .setElection(ELECTION)
                .build())
        .getCandidatesCount();
  }
}
