package dev.plinth.client.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.plinth.client.PlinthClient;
import dev.plinth.client.RegistryServer;
import dev.plinth.config.v1.Agent;
import dev.plinth.config.v1.AgentState;
import dev.plinth.config.v1.GetRolloutRequest;
import dev.plinth.config.v1.ListAgentsRequest;
import dev.plinth.config.v1.PutConfigRequest;
import dev.plinth.config.v1.RevisionTarget;
import dev.plinth.config.v1.RollbackRequest;
import dev.plinth.config.v1.Rollout;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.FaultProxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Agents of a real server, over the network. */
@Timeout(120)
class ConfigAgentServerTest {
  @TempDir Path directory;
  private RegistryServer server;
  private FaultProxy proxy;
  private PlinthClient client;

  @BeforeEach
  void start() {
    server = new RegistryServer(directory.resolve("server"));
    proxy = FaultProxy.to("localhost", server.port());
    client = PlinthClient.builder(proxy.address()).owner("ann").build();
  }

  @AfterEach
  void stop() {
    client.close();
    proxy.close();
    server.close();
  }

  private long put(String config, String group, long expected, String content) {
    return server
        .configs()
        .putConfig(
            PutConfigRequest.newBuilder()
                .setConfig(config)
                .setAtomicGroup(group)
                .setExpectedRevision(expected)
                .setContent(ByteString.copyFromUtf8(content))
                .setContentType("text/plain")
                .setActor("olga")
                .build())
        .getRevision()
        .getRevision();
  }

  /** To all agents at once. */
  private Rollout rollOut(RevisionTarget... targets) {
    return server
        .configs()
        .rollback(
            RollbackRequest.newBuilder().addAllTargets(List.of(targets)).setActor("olga").build())
        .getRollout();
  }

  private static RevisionTarget target(String config, long revision) {
    return RevisionTarget.newBuilder().setConfig(config).setRevision(revision).build();
  }

  private static int number(byte[] content) {
    return Integer.parseInt(new String(content, StandardCharsets.UTF_8));
  }

  private Agent agent(String group) {
    return server
        .configs()
        .listAgents(ListAgentsRequest.newBuilder().setGroup(group).build())
        .getAgents(0);
  }

  @Test
  void rollout_reachesTheAgent_andARejectionIsSeenByOperators() throws Exception {
    put("limit", "", 0, "10");
    rollOut(target("limit", 1));
    ConfigAgentBuilder builder = client.configAgent();
    ConfigHandle<Integer> limit = builder.config("limit", ConfigAgentServerTest::number);
    try (ConfigAgent agent = builder.start()) {
      assertTrue(agent.awaitReady(Duration.ofSeconds(30)));
      assertEquals(10, limit.get());
      Await.until("applied", () -> agent("limit").getState() == AgentState.AGENT_STATE_APPLIED);
      assertTrue(!agent("limit").getSessionId().isEmpty());
      put("limit", "", 1, "many");
      Rollout bad = rollOut(target("limit", 2));
      Await.until("rejected", () -> agent("limit").getState() == AgentState.AGENT_STATE_REJECTED);
      assertEquals(10, limit.get());
      assertEquals(bad.getGeneration(), agent("limit").getRejectedGeneration());
      server.configs().getRollout(GetRolloutRequest.newBuilder().setGroup("limit").build());
    }
  }

  @Test
  void group_changesTogether_andGoesBackInContent() throws Exception {
    put("burst", "traffic", 0, "1");
    put("limit", "traffic", 0, "10");
    rollOut(target("burst", 1), target("limit", 1));
    ConfigAgentBuilder builder = client.configAgent();
    ConfigHandle<Integer> limit = builder.config("limit", ConfigAgentServerTest::number);
    ConfigHandle<Integer> burst = builder.config("burst", ConfigAgentServerTest::number);
    try (ConfigAgent agent = builder.start()) {
      assertTrue(agent.awaitReady(Duration.ofSeconds(30)));
      put("burst", "", 1, "2");
      put("limit", "", 1, "20");
      awaitAll();
      rollOut(target("burst", 2), target("limit", 2));
      Await.until("both", () -> limit.get() == 20);
      assertEquals(2, burst.get());
      long generation = limit.current().orElseThrow().generation();
      awaitAll();
      rollOut(target("burst", 1), target("limit", 1));
      Await.until("back", () -> limit.get() == 10);
      assertEquals(1, burst.get());
      assertTrue(limit.current().orElseThrow().generation() > generation);
      assertEquals(0, agent.status().outOfOrder());
    }
  }

  /** A group has one rollout at a time. */
  private void awaitAll() {
    Await.until(
        "the rollout is over",
        () ->
            server
                    .configs()
                    .getRollout(GetRolloutRequest.newBuilder().setGroup("traffic").build())
                    .getRollout()
                    .getPhase()
                == dev.plinth.config.v1.Phase.PHASE_DONE);
  }

  @Test
  void serverThatIsAway_costsNothing_butFreshness_andTheCacheServesTheNextStart() throws Exception {
    put("limit", "", 0, "10");
    rollOut(target("limit", 1));
    Path cache = directory.resolve("cache");
    ConfigAgentBuilder builder = client.configAgent().cache(cache);
    ConfigHandle<Integer> limit = builder.config("limit", ConfigAgentServerTest::number);
    ConfigAgent agent = builder.maxStaleness(Duration.ofSeconds(7)).start();
    assertTrue(agent.awaitReady(Duration.ofSeconds(30)));
    proxy.cut();
    Await.until("stale", () -> agent.isStale(limit));
    assertEquals(10, limit.get());
    agent.close();
    ConfigAgentBuilder next = client.configAgent().agent("bob").cache(cache);
    ConfigHandle<Integer> cached = next.config("limit", ConfigAgentServerTest::number);
    ConfigAgent second = next.start();
    assertEquals(10, cached.get());
    assertEquals(ConfigSource.CACHE, cached.current().orElseThrow().source());
    proxy.heal();
    assertTrue(second.awaitReady(Duration.ofSeconds(30)));
    assertEquals(ConfigSource.LIVE, cached.current().orElseThrow().source());
    second.close();
  }
}
