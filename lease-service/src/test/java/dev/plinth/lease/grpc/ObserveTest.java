package dev.plinth.lease.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.plinth.lease.v1.CampaignOnceRequest;
import dev.plinth.lease.v1.ElectionServiceGrpc;
import dev.plinth.lease.v1.EndCause;
import dev.plinth.lease.v1.HistoryEntry;
import dev.plinth.lease.v1.Leader;
import dev.plinth.lease.v1.ObserveRequest;
import dev.plinth.lease.v1.ObserveResponse;
import dev.plinth.lease.v1.ProclaimRequest;
import dev.plinth.lease.v1.ResignRequest;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.call.RecordedStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Observe: every leader and every time there was none. */
@OnEachStore(LeaseWiring.class)
class ObserveTest {
  private static final String ELECTION = "boss";

  @Parameter ShardServer server;
  private LeaseCalls calls;

  @BeforeEach
  void begin() {
    calls = new LeaseCalls(server);
  }

  @Test
  void observe_showsWhoLeads_thenEveryChange_andProgress() {
    var fromTheStart = observe("");
    assertEquals(0, fromTheStart.next().getSnapshot().getTerm());
    Leader ann = elect(ELECTION, "ann");
    assertEquals(ann, told(fromTheStart).getLeader());
    var later = observe("");
    ObserveResponse snapshot = later.next();
    assertEquals(ann, snapshot.getSnapshot().getLeader());
    assertEquals(1, snapshot.getSnapshot().getTerm());
    proclaim(ann, "host-2");
    assertEquals("host-2", told(later).getValue().getValue().toStringUtf8());
    resign(ann);
    ObserveResponse none = told(later);
    assertEquals(1, none.getNoLeader().getTerm());
    assertEquals(EndCause.END_CAUSE_RELEASED, none.getNoLeader().getCause());
    later.next(ObserveResponse::hasProgress);
    ObserveResponse empty = observe("").next();
    assertFalse(empty.getSnapshot().hasLeader());
    assertEquals(1, empty.getSnapshot().getTerm());
  }

  @Test
  void observe_isForOneElectionAlone() {
    var observed = observe("");
    observed.next();
    elect(ELECTION + "-2", "bob");
    elect(ELECTION, "ann");
    assertEquals("ann", told(observed).getLeader().getCandidateId());
  }

  @Test
  void operatorsWish_isNoNewValue() {
    Leader ann = elect(ELECTION, "ann");
    var observed = observe("");
    observed.next();
    calls
        .leases()
        .forceRelease(calls.force("election/" + ELECTION).setGrace(LeaseCalls.LONG).build());
    calls.leases().forceRelease(calls.force("election/" + ELECTION).build());
    ObserveResponse next = told(observed);
    assertEquals(ann.getTerm(), next.getNoLeader().getTerm(), next.toString());
    assertEquals(EndCause.END_CAUSE_FORCED, next.getNoLeader().getCause());
  }

  @Test
  void operatorsWish_isNoNewValue_toOneThatResumedToo() {
    Leader ann = elect(ELECTION, "ann");
    var again = observe(observe("").next().getResumeToken());
    calls
        .leases()
        .forceRelease(calls.force("election/" + ELECTION).setGrace(LeaseCalls.LONG).build());
    calls.leases().forceRelease(calls.force("election/" + ELECTION).build());
    ObserveResponse next = told(again);
    assertEquals(ann.getTerm(), next.getNoLeader().getTerm(), next.toString());
  }

  @Test
  void observe_resumesWithoutASnapshot() {
    String token = observe("").next().getResumeToken();
    Leader ann = elect(ELECTION, "ann");
    resign(ann);
    var again = observe(token);
    assertEquals(ann, told(again).getLeader());
    ObserveResponse none = told(again);
    assertEquals(1, none.getNoLeader().getTerm());
    assertFalse(none.getResumeToken().isEmpty());
  }

  @Test
  void observe_fromBeforeARestart_isToldOfTheGap_andStartsAgain() {
    String token = observe("").next().getResumeToken();
    Leader ann = elect(ELECTION, "ann");
    server.restart();
    var again = observe(token);
    assertTrue(again.next().hasGap());
    ObserveResponse snapshot = again.next();
    assertEquals(ann.getToken(), snapshot.getSnapshot().getLeader().getToken());
  }

  /** V14. */
  @Test
  void everyTerm_isReported_withNoLeaderBetween_asInTheHistory() {
    int terms = 48;
    int candidates = 4;
    var observed = observe("");
    String start = observed.next().getResumeToken();
    List<String> sessions = new ArrayList<>();
    for (int i = 0; i < candidates; i++) {
      sessions.add(calls.session("c" + i));
    }
    // Each leader goes as soon as it is elected, by its own word, an operator's or its session's.
    var next = calls.campaign(calls.candidacy(ELECTION, "c0", sessions.get(0)));
    for (int term = 1; term <= terms; term++) {
      var leading = next;
      int mine = (term - 1) % candidates;
      int heir = term % candidates;
      Leader leader = leading.next(message -> message.hasElected()).getElected();
      assertEquals(term, leader.getTerm());
      boolean contested = term % 3 != 0;
      if (contested) {
        next = calls.campaign(calls.candidacy(ELECTION, "c" + heir, sessions.get(heir)));
        next.next(message -> message.hasStanding());
      }
      depose(leader, term, mine, sessions);
      if (!contested) {
        next = calls.campaign(calls.candidacy(ELECTION, "c" + heir, sessions.get(heir)));
      }
    }
    List<String> expected = history(terms);
    assertEquals(expected, observed(observed, expected.size()));
    assertEquals(expected, observed(observe(start), expected.size()), "resumed");
  }

  private void depose(Leader leader, int term, int mine, List<String> sessions) {
    if (term % 5 == 0) {
      calls.leases().forceRelease(calls.force("election/" + ELECTION).build());
    } else if (term % 7 == 0) {
      calls.close(sessions.get(mine));
      sessions.set(mine, calls.session("c" + mine));
    } else {
      resign(leader);
    }
  }

  private List<String> history(int terms) {
    List<String> lines = new ArrayList<>();
    for (HistoryEntry entry : calls.history(calls.historyOf("election/" + ELECTION))) {
      if (entry.getTerm() <= terms) {
        boolean granted = entry.getType() == HistoryEntry.Type.TYPE_GRANTED;
        lines.add(
            granted
                ? entry.getTerm() + " " + entry.getOwnerId() + " " + entry.getToken()
                : entry.getTerm() + " none " + entry.getCause());
      }
    }
    assertEquals(2 * terms, lines.size());
    return lines;
  }

  private static List<String> observed(
      RecordedStream<ObserveRequest, ObserveResponse> observed, int messages) {
    List<String> lines = new ArrayList<>();
    while (lines.size() < messages) {
      ObserveResponse next = told(observed);
      Leader leader = next.getLeader();
      lines.add(
          next.hasLeader()
              ? leader.getTerm() + " " + leader.getCandidateId() + " " + leader.getToken()
              : next.getNoLeader().getTerm() + " none " + next.getNoLeader().getCause());
    }
    return lines;
  }

  private RecordedStream<ObserveRequest, ObserveResponse> observe(String resumeToken) {
    RecordedStream<ObserveRequest, ObserveResponse> recordedStream = new RecordedStream<>();
    ElectionServiceGrpc.newStub(calls.channel())
        .observe(
            ObserveRequest.newBuilder()
                .setNamespace(calls.namespace)
                .setElection(ELECTION)
                .setResumeToken(resumeToken)
                .build(),
            recordedStream);
    return recordedStream;
  }

  private static ObserveResponse told(RecordedStream<ObserveRequest, ObserveResponse> observed) {
    return observed.next(message -> !message.hasProgress());
  }

  private Leader elect(String election, String candidate) {
    return calls
        .elections()
        .campaignOnce(
            CampaignOnceRequest.newBuilder()
                .setNamespace(calls.namespace)
                .setElection(election)
                .setCandidateId(candidate)
                .setSessionId(calls.session(candidate))
                .build())
        .getLeader();
  }

  private void proclaim(Leader leader, String value) {
    calls
        .elections()
        .proclaim(
            ProclaimRequest.newBuilder()
                .setNamespace(calls.namespace)
                .setElection(ELECTION)
                .setToken(leader.getToken())
                .setValue(ByteString.copyFromUtf8(value))
                .build());
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
}
