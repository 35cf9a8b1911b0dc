package dev.plinth.config.grpc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.plinth.config.core.RevisionContent;
import dev.plinth.config.v1.AckState;
import dev.plinth.config.v1.AgentState;
import dev.plinth.config.v1.Assignment;
import dev.plinth.config.v1.ExplainAgentRequest;
import dev.plinth.config.v1.ExplainAgentResponse;
import dev.plinth.config.v1.FetchSnapshotRequest;
import dev.plinth.config.v1.FetchSnapshotResponse;
import dev.plinth.config.v1.Have;
import dev.plinth.config.v1.HeldSnapshot;
import dev.plinth.config.v1.ListAgentsRequest;
import dev.plinth.config.v1.ListAgentsResponse;
import dev.plinth.config.v1.Phase;
import dev.plinth.config.v1.Rollout;
import dev.plinth.config.v1.Snapshot;
import dev.plinth.config.v1.SyncRequest;
import dev.plinth.config.v1.SyncResponse;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.Refusal;
import io.grpc.Status;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Sync and FetchSnapshot: what agents get, and what becomes of what they say. */
@OnEachStore(ConfigWiring.class)
class SyncStreamTest {
  @Parameter ShardServer server;
  private ConfigCalls calls;

  @BeforeEach
  void begin() {
    calls = new ConfigCalls(server);
  }

  private ExplainAgentResponse explain(String agent) {
    return calls
        .configs()
        .explainAgent(
            ExplainAgentRequest.newBuilder()
                .setNamespace(calls.namespace)
                .setGroup(ConfigCalls.LIMITS)
                .setAgent(agent)
                .build());
  }

  private void awaitState(String agent, AgentState state) {
    Await.until(agent + " is " + state, () -> explain(agent).getAgent().getState() == state);
  }

  @Test
  void C2_content_comesInChunks_thatFitItsHash() {
    String content = "\"" + "abc".repeat(70_000) + "\"";
    calls.put(0, content);
    calls.establish(1);
    ConfigCalls.SyncStub agent = calls.sync("a");
    Assignment assignment = agent.assignment();
    byte[] received = agent.content();
    assertArrayEquals(content.getBytes(StandardCharsets.UTF_8), received);
    Snapshot snapshot = assignment.getSnapshots(0);
    assertArrayEquals(RevisionContent.sha256(received), snapshot.getSha256().toByteArray());
    assertEquals(received.length, snapshot.getSize());
    assertEquals(1, snapshot.getRevision());
    agent.bookmark();
    awaitState("a", AgentState.AGENT_STATE_SENT);
    agent.ack(assignment, AckState.ACK_STATE_STAGED, "");
    awaitState("a", AgentState.AGENT_STATE_STAGED);
    agent.applied(assignment);
    awaitState("a", AgentState.AGENT_STATE_APPLIED);
  }

  @Test
  void C10_signatureAndKey_arePassedOnAsTheyCame() {
    ByteString signature = ByteString.copyFrom(new byte[64]);
    calls
        .configs()
        .putConfig(calls.putting(0, "{}").setSignature(signature).setKeyId("key-1").build());
    calls.establish(1);
    Snapshot snapshot = calls.sync("a").assignment().getSnapshots(0);
    assertEquals(signature, snapshot.getSignature());
    assertEquals("key-1", snapshot.getKeyId());
  }

  @Test
  void hello_withWhatItHolds_isSentNoContentAgain() {
    calls.put(0, "{}");
    calls.establish(1);
    ConfigCalls.SyncStub first = calls.sync("a");
    Assignment assignment = first.assignment();
    first.content();
    first.applied(assignment);
    first.requests.onCompleted();
    Have.Builder has =
        Have.newBuilder()
            .setGroup(ConfigCalls.LIMITS)
            .setEpoch(assignment.getEpoch())
            .setGeneration(assignment.getGeneration())
            .addSnapshots(
                HeldSnapshot.newBuilder()
                    .setConfig(ConfigCalls.LIMITS)
                    .setSha256(assignment.getSnapshots(0).getSha256()));
    ConfigCalls.SyncStub second = calls.sync(calls.hello("a").addHave(has).build());
    assertTrue(second.said.next().hasBookmark());
    second.requests.onCompleted();
    ConfigCalls.SyncStub third = calls.sync(calls.hello("a").addHave(has.setGeneration(0)).build());
    assertTrue(third.said.next().getAssignment().getSnapshots(0).getHeld());
    assertTrue(third.said.next().hasBookmark());
  }

  @Test
  void configs_thatWereNeverRolledOut_areNamed_andComeWhenTheyAre() {
    ConfigCalls.SyncStub agent = calls.sync("a");
    assertEquals(
        ConfigCalls.LIMITS,
        agent.said.next(SyncResponse::hasUnassigned).getUnassigned().getConfigs(0));
    agent.bookmark();
    calls.put(0, "{}");
    calls.start(1, ConfigCalls.percent(100, 0));
    Assignment assignment = agent.assignment();
    assertEquals(1, assignment.getGeneration());
    agent.applied(assignment);
    calls.awaitPhase(Phase.PHASE_DONE);
  }

  @Test
  void stream_isEndedInGoodOrder_withAllThatWasDecided_whenTheAgentEndsIt() {
    calls.put(0, "{}");
    calls.establish(1);
    ConfigCalls.SyncStub agent = calls.sync("a");
    agent.requests.onCompleted();
    agent.assignment();
    agent.content();
    assertTrue(agent.said.next().hasBookmark());
    agent.said.end();
    Await.until("it is gone", () -> !explain("a").getAgent().getConnected());
  }

  @Test
  void stream_thatBreaks_leavesAnAgentWithoutOne() {
    calls.put(0, "{}");
    calls.establish(1);
    ConfigCalls.SyncStub agent = calls.sync("a");
    agent.bookmark();
    assertTrue(explain("a").getAgent().getConnected());
    agent.said.cancel();
    Await.until("it is gone", () -> !explain("a").getAgent().getConnected());
  }

  @Test
  void secondStream_takesThePlaceOfTheFirst() {
    ConfigCalls.SyncStub first = calls.sync("a");
    first.bookmark();
    ConfigCalls.SyncStub second = calls.sync("a");
    second.bookmark();
    first
        .said
        .lastly()
        .is(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_AGENT_REPLACED);
  }

  @Test
  void partialRollout_pausesItself_whenAnAgentRejects_andCanBeAborted() {
    calls.put(0, "{}");
    calls.establish(1);
    ConfigCalls.SyncStub agent = calls.sync("a");
    agent.applied(agent.assignment());
    calls.put(1, "{\"bad\": true}");
    Rollout rollout = calls.start(2, ConfigCalls.percent(100, 60));
    agent.ack(agent.assignment(), AckState.ACK_STATE_REJECTED, "no such key\nbad");
    Rollout paused = calls.awaitPhase(Phase.PHASE_PAUSED);
    assertEquals("agent a rejected it: no such key bad", paused.getReason());
    assertEquals(1, paused.getCounts().getRejected());
    assertEquals("no such key bad", paused.getRejections(0).getError());
    awaitState("a", AgentState.AGENT_STATE_REJECTED);
    server.restart();
    assertEquals(Phase.PHASE_PAUSED, calls.rollout().getPhase());
    Rollout aborted =
        calls.configs().abortRollout(calls.aborting(rollout.getGeneration()).build()).getRollout();
    assertEquals(3, aborted.getAbortGeneration());
    ConfigCalls.SyncStub again = calls.sync("a");
    Assignment back = again.assignment();
    assertEquals(3, back.getGeneration());
    assertEquals(1, back.getSnapshots(0).getRevision());
  }

  @Test
  void oldRevisionStillActive_isFoundInTheList() {
    calls.put(0, "{}");
    calls.establish(1);
    for (String name : new String[] {"a", "b"}) {
      ConfigCalls.SyncStub agent = calls.sync(name);
      agent.applied(agent.assignment());
      awaitState(name, AgentState.AGENT_STATE_APPLIED);
    }
    ListAgentsRequest.Builder request =
        ListAgentsRequest.newBuilder()
            .setNamespace(calls.namespace)
            .setGroup(ConfigCalls.LIMITS)
            .setGenerationBelow(2)
            .setPageSize(1);
    ListAgentsResponse page = calls.configs().listAgents(request.build());
    assertEquals("a", page.getAgents(0).getAgent());
    page = calls.configs().listAgents(request.setPageToken(page.getNextPageToken()).build());
    assertEquals("b", page.getAgents(0).getAgent());
    assertEquals(
        0,
        calls
            .configs()
            .listAgents(request.setGenerationBelow(1).clearPageToken().build())
            .getAgentsCount());
    assertEquals(
        2,
        calls
            .configs()
            .listAgents(
                request
                    .clearGenerationBelow()
                    .setPageSize(0)
                    .setState(AgentState.AGENT_STATE_APPLIED)
                    .build())
            .getAgentsCount());
    assertTrue(explain("a").getWhy().contains("rollout 1 is done"), explain("a").getWhy());
    Refusal.of(() -> explain("nobody"))
        .is(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_AGENT_UNKNOWN);
  }

  @Test
  void fetch_showsWhatAnAgentWouldGet() {
    calls.put(0, "{\"rate\": 1}");
    FetchSnapshotRequest request =
        FetchSnapshotRequest.newBuilder()
            .setNamespace(calls.namespace)
            .setConfig(ConfigCalls.LIMITS)
            .setAgent("a")
            .build();
    assertFalse(calls.distribution().fetchSnapshot(request).hasAssignment());
    calls.establish(1);
    FetchSnapshotResponse response = calls.distribution().fetchSnapshot(request);
    assertEquals("{\"rate\": 1}", response.getContent().toStringUtf8());
    assertEquals(1, response.getAssignment().getGeneration());
  }

  @Test
  void stream_refusesWhatIsOutOfPlace() {
    ConfigCalls.SyncStub agent = calls.sync("a");
    agent.bookmark();
    agent.requests.onNext(
        SyncRequest.newBuilder().setNamespace(calls.namespace).setHello(calls.hello("a")).build());
    agent.said.lastly().isOfField("body", ErrorReason.ERROR_REASON_FIELD_INVALID);
    ConfigCalls.SyncStub other = calls.sync("b");
    other.bookmark();
    other.requests.onNext(SyncRequest.newBuilder().setNamespace("elsewhere").build());
    other.said.lastly().isOfField("namespace", ErrorReason.ERROR_REASON_FIELD_INVALID);
  }
}
