package dev.plinth.client.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.plinth.client.ScriptedRegistry;
import dev.plinth.client.internal.ClientWire;
import dev.plinth.config.v1.Assignment;
import dev.plinth.config.v1.SyncResponse;
import io.grpc.Status;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a manual clock, against a server that says what the test has it say. */
class ConfigAgentTest {
  @TempDir Path directory;
  private final ScriptedConfigs server = new ScriptedConfigs();
  private final ScriptedRegistry registry = new ScriptedRegistry(server);
  private final List<String> told = new ArrayList<>();
  private ConfigAgentBuilder builder;
  private ConfigHandle<Integer> limit;
  private ConfigHandle<Integer> burst;
  private ConfigAgent agent;

  @BeforeEach
  void declare() {
    server.registry = registry;
    newBuilder();
  }

  @AfterEach
  void close() {
    registry.close();
  }

  private void newBuilder() {
    builder =
        new ConfigAgentBuilder("default", registry.runtime(), registry.sessions().of("default"));
    limit = builder.config("limit", ConfigAgentTest::number);
    burst = builder.config("burst", ConfigAgentTest::number);
  }

  private static int number(byte[] content) {
    int number = Integer.parseInt(new String(content, StandardCharsets.UTF_8));
    if (number < 0) {
      throw new IllegalArgumentException(number + " (expected: 0 or more)");
    }
    return number;
  }

  private void start() {
    agent = builder.start();
    agent.listen(
        new ConfigAgentListener() {
          @Override
          public void onReady() {
            told.add("ready");
          }

          @Override
          public void onChange(Set<String> configs) {
            told.add("changed " + configs);
          }

          @Override
          public void onRejected(String config, String why) {
            told.add("rejected " + config);
          }

          @Override
          public void onStale(Duration age) {
            told.add("stale");
          }

          @Override
          public void onFresh() {
            told.add("fresh");
          }
        });
    registry.clock.runDue();
  }

  @Test
  void assignment_isValidated_applied_andAcknowledged() {
    start();
    assertThrows(IllegalStateException.class, limit::get);
    assertEquals(List.of("limit", "burst"), server.hello().getConfigsList());
    server.assign("limit", 1, 7, "10000");
    assertEquals(10_000, limit.get());
    assertEquals(List.of("limit 1/7 STAGED", "limit 1/7 APPLIED"), server.acks);
    assertFalse(agent.status().ready());
    server.bookmark();
    assertTrue(agent.status().ready());
    assertEquals(List.of("changed [limit]", "ready"), told);
    assertEquals(
        new ConfigValue<>(10_000, ConfigSource.LIVE, "limit", 1, 7, 1),
        limit.current().orElseThrow());
  }

  @Test
  void hello_namesTheRegistrySession_andANewOneIsSaidAgain() {
    start();
    assertEquals("s-1", server.hello().getSession().getSessionId());
    registry.expire();
    registry.advance(3000);
    assertEquals("s-2", server.hello().getSession().getSessionId());
  }

  @Test
  void registryThatIsAway_keepsNobodyWaiting() {
    registry.failure = Status.UNIMPLEMENTED;
    start();
    registry.advance(1000);
    assertFalse(server.hello().hasSession());
  }

  @Test
  void C1_outOfOrderApply_orderIsByEpochAndGeneration_notByRevision() {
    start();
    server.assign("limit", 1, 8, "8");
    server.assign("limit", 1, 7, "7");
    assertEquals(8, limit.get());
    assertEquals(1, agent.status().outOfOrder());
    server.assign("limit", 1, 9, "7"); // an abort: back in content, not in order
    assertEquals(7, limit.get());
    server.assign("limit", 2, 1, "20"); // a store that was set back has a higher epoch
    assertEquals(20, limit.get());
    server.assign("limit", 1, 99, "99");
    assertEquals(20, limit.get());
    assertEquals(2, agent.status().outOfOrder());
  }

  @Test
  void sameGenerationAgain_isConfirmedAgain_andCallsNobody() {
    start();
    server.assign("limit", 1, 7, "7");
    told.clear();
    server.acks.clear();
    server.assign("limit", 1, 7, "7");
    assertEquals(List.of("limit 1/7 APPLIED"), server.acks);
    assertEquals(List.of(), told);
  }

  @Test
  void sameContentInANewGeneration_callsNoListenerOfTheConfig() {
    List<Integer> seen = new ArrayList<>();
    limit.onChange((before, now) -> seen.add(now));
    start();
    server.assign("limit", 1, 7, "7");
    server.assign("limit", 1, 8, "7");
    assertEquals(List.of(7), seen);
    assertEquals(8, limit.current().orElseThrow().generation());
    assertEquals("limit 1/8 APPLIED", server.acks.get(server.acks.size() - 1));
  }

  @Test
  void contentThatIsNotValid_isRejected_andTheLastGoodStays() {
    start();
    server.assign("limit", 1, 7, "7");
    server.assign("limit", 1, 8, "-1");
    assertEquals(7, limit.get());
    assertEquals("limit 1/8 REJECTED", server.acks.get(2));
    assertEquals("limit", server.allAcks.get(2).getConfig());
    assertTrue(server.allAcks.get(2).getError().contains("expected: 0 or more"));
    assertEquals(Set.of("limit"), agent.status().rejections().keySet());
    server.fail(Status.UNAVAILABLE);
    registry.advance(5000);
    assertEquals(7, server.hello().getHave(0).getGeneration());
    assertEquals(8, server.hello().getHave(0).getRejectedGeneration());
    server.assign("limit", 1, 9, "9");
    assertEquals(9, limit.get());
    assertEquals(Map.of(), agent.status().rejections());
  }

  @Test
  void listenerThatThrows_rejects_andThoseThatWereToldGoBack() {
    List<String> seen = new ArrayList<>();
    burst.onChange((before, now) -> seen.add(before.orElse(0) + " to " + now));
    limit.onChange(
        (before, now) -> {
          if (now == 13) {
            throw new LinkageError("a listener's own");
          }
        });
    start();
    server.assign("traffic", 1, 1, Map.of("burst", "1", "limit", "10"));
    server.assign("traffic", 1, 2, Map.of("burst", "2", "limit", "13"));
    assertEquals(List.of("0 to 1", "1 to 2", "2 to 1"), seen);
    assertEquals(1, burst.get());
    assertEquals(10, limit.get());
    assertEquals("traffic 1/2 REJECTED", server.acks.get(server.acks.size() - 1));
  }

  @Test
  void atomicGroup_isAppliedWhole_orNotAtAll() {
    start();
    server.assign("traffic", 1, 1, Map.of("burst", "1", "limit", "10"));
    ConfigSnapshot before = agent.snapshot();
    server.assign("traffic", 1, 2, Map.of("burst", "2", "limit", "-20"));
    assertEquals(1, burst.get());
    server.assign("traffic", 1, 3, Map.of("burst", "3", "limit", "30"));
    assertEquals(3, burst.get());
    assertEquals(30, limit.get());
    assertEquals(1, before.get(burst).orElseThrow().value());
    assertEquals(10, before.get(limit).orElseThrow().value());
  }

  @Test
  void contentThatIsHeld_isNotSentAgain() {
    start();
    server.assign("traffic", 1, 1, Map.of("burst", "1", "limit", "10"));
    Assignment next =
        Assignment.newBuilder()
            .setGroup("traffic")
            .setEpoch(1)
            .setGeneration(2)
            .addSnapshots(ScriptedConfigs.snapshot("burst", "2"))
            .addSnapshots(ScriptedConfigs.snapshot("limit", "10").setHeld(true))
            .build();
    server.assign(next, Map.of("burst", "2"));
    assertEquals(2, burst.get());
    assertEquals(10, limit.get());
  }

  @Test
  void streamThatMakesNoSense_isOpenedAgain_andNothingIsApplied() {
    start();
    Assignment held =
        Assignment.newBuilder()
            .setGroup("limit")
            .setEpoch(1)
            .setGeneration(2)
            .addSnapshots(ScriptedConfigs.snapshot("limit", "10").setHeld(true))
            .build();
    server.send(SyncResponse.newBuilder().setAssignment(held).build());
    assertEquals(2, server.hellos.size());
    assertThrows(IllegalStateException.class, limit::get);
  }

  @Test
  void C2_contentThatDoesNotHaveItsHash_isRejected() {
    start();
    Assignment torn =
        Assignment.newBuilder()
            .setGroup("limit")
            .setEpoch(1)
            .setGeneration(1)
            .addSnapshots(ScriptedConfigs.snapshot("limit", "10"))
            .build();
    server.assign(torn, Map.of("limit", "11"));
    assertThrows(IllegalStateException.class, limit::get);
    assertEquals(List.of("limit 1/1 REJECTED"), server.acks);
  }

  @Test
  void brokenStream_saysWhatItHas_andAHalfSentAssignmentIsForgotten() {
    start();
    server.assign("limit", 1, 7, "7");
    Assignment next =
        Assignment.newBuilder()
            .setGroup("limit")
            .setEpoch(1)
            .setGeneration(8)
            .addSnapshots(ScriptedConfigs.snapshot("limit", "8"))
            .build();
    server.send(SyncResponse.newBuilder().setAssignment(next).build());
    server.fail(Status.UNAVAILABLE);
    registry.advance(5000);
    assertEquals(2, server.hellos.size());
    assertEquals(7, server.hello().getHave(0).getGeneration());
    assertEquals("limit", server.hello().getHave(0).getSnapshots(0).getConfig());
    server.assign(next, Map.of("limit", "8"));
    assertEquals(8, limit.get());
  }

  @Test
  void C9_staleLocalConfig_silenceOfALiveStream_isStale_andABookmarkFresh() {
    builder.maxStaleness(Duration.ofSeconds(30));
    start();
    server.assign("limit", 1, 7, "7");
    server.bookmark();
    registry.advance(29_000);
    assertFalse(agent.status().stale());
    assertEquals(7, agent.requireFresh(limit));
    registry.advance(2000);
    assertTrue(agent.isStale(limit));
    assertEquals("stale", told.get(told.size() - 1));
    assertThrows(StaleConfigException.class, () -> agent.requireFresh(limit));
    assertEquals(7, limit.get());
    assertTrue(server.hellos.size() > 1); // a stream that is silent is not trusted
    server.bookmark();
    assertEquals("fresh", told.get(told.size() - 1));
    assertFalse(agent.isStale(limit));
  }

  @Test
  void machineThatSlept_isStale_untilTheNextBookmark() {
    start();
    server.assign("limit", 1, 7, "7");
    server.bookmark();
    registry.clock.stepWall(Duration.ofMinutes(10));
    assertTrue(agent.isStale(limit));
    server.bookmark();
    assertFalse(agent.isStale(limit));
  }

  @Test
  void maxStalenessOfAConfig_isItsOwn() {
    start();
    Assignment strict =
        Assignment.newBuilder()
            .setGroup("limit")
            .setEpoch(1)
            .setGeneration(1)
            .addSnapshots(
                ScriptedConfigs.snapshot("limit", "1")
                    .setMaxStaleness(ClientWire.duration(Duration.ofSeconds(10))))
            .build();
    server.assign(strict, Map.of("limit", "1"));
    server.assign("burst", 1, 1, "2");
    server.bookmark();
    registry.advance(11_000);
    assertTrue(agent.isStale(limit));
    assertFalse(agent.isStale(burst));
  }

  @Test
  void cache_isThereAtTheNextStart_andLiveWins() {
    builder.cache(directory);
    start();
    server.assign("limit", 1, 7, "7");
    server.bookmark();
    agent.close();
    registry.clock.runDue();
    newBuilder();
    builder.cache(directory).bootstrap(limit, "1".getBytes(StandardCharsets.UTF_8));
    start();
    assertEquals(7, limit.get());
    assertEquals(ConfigSource.CACHE, limit.current().orElseThrow().source());
    assertThrows(StaleConfigException.class, () -> agent.requireFresh(limit));
    assertEquals(7, server.hello().getHave(0).getGeneration());
    server.bookmark(); // the server has nothing newer
    assertEquals(ConfigSource.LIVE, limit.current().orElseThrow().source());
    server.assign("limit", 1, 6, "6");
    assertEquals(7, limit.get());
    server.assign("limit", 1, 8, "8");
    assertEquals(8, limit.get());
  }

  @Test
  void rejectedGeneration_isNotCached() {
    builder.cache(directory);
    start();
    server.assign("limit", 1, 7, "7");
    server.assign("limit", 1, 8, "-8");
    agent.close();
    registry.clock.runDue();
    newBuilder();
    builder.cache(directory);
    start();
    assertEquals(7, limit.get());
  }

  @Test
  void cachedContentThatIsNoLongerValid_isIgnored_visibly() {
    builder.cache(directory);
    start();
    server.assign("limit", 1, 7, "7");
    agent.close();
    registry.clock.runDue();
    builder =
        new ConfigAgentBuilder("default", registry.runtime(), registry.sessions().of("default"));
    limit =
        builder.config(
            "limit",
            content -> {
              throw new IllegalArgumentException("a newer version takes none of these");
            });
    builder.cache(directory);
    start();
    assertThrows(IllegalStateException.class, limit::get);
    assertEquals(1, agent.status().ignoredCacheGroups());
    assertEquals(0, server.hello().getHaveCount());
  }

  @Test
  void bootstrap_isUsedUntilSomethingComes() {
    builder.bootstrap(limit, "1".getBytes(StandardCharsets.UTF_8));
    start();
    assertEquals(1, limit.get());
    assertEquals(ConfigSource.BOOTSTRAP, limit.current().orElseThrow().source());
    server.bookmark();
    assertEquals(ConfigSource.BOOTSTRAP, limit.current().orElseThrow().source());
    server.assign("limit", 1, 7, "7");
    assertEquals(7, limit.get());
  }

  @Test
  void bootstrapThatIsNotValid_failsTheStart() {
    builder.bootstrap(limit, "x".getBytes(StandardCharsets.UTF_8));
    assertThrows(IllegalArgumentException.class, builder::start);
  }

  @Test
  void C10_onlyWhatATrustedKeyHasSigned_isApplied() throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("Ed25519");
    KeyPair old = generator.generateKeyPair();
    KeyPair next = generator.generateKeyPair();
    KeyPair other = generator.generateKeyPair();
    builder.trust("old", old.getPublic()).trust("new", next.getPublic());
    start();
    server.assign("limit", 1, 1, "1");
    assertEquals("limit 1/1 REJECTED", server.acks.get(0));
    signed(2, "old", other);
    signed(3, "other", other);
    assertThrows(IllegalStateException.class, limit::get);
    signed(4, "old", old);
    assertEquals(4, limit.get());
    signed(5, "new", next);
    assertEquals(5, limit.get());
    signedFor("burst", 6, "new", next); // a signature for another config
    assertEquals(5, limit.get());
  }

  private void signed(int generation, String keyId, KeyPair key) throws Exception {
    signedFor("limit", generation, keyId, key);
  }

  private void signedFor(String config, int generation, String keyId, KeyPair key)
      throws Exception {
    String content = Integer.toString(generation);
    byte[] hash = ContentVerifier.sha256(content.getBytes(StandardCharsets.UTF_8));
    Signature signature = Signature.getInstance("Ed25519");
    signature.initSign(key.getPrivate());
    signature.update(ContentVerifier.signedText("default", config, 1, hash));
    Assignment assignment =
        Assignment.newBuilder()
            .setGroup("limit")
            .setEpoch(1)
            .setGeneration(generation)
            .addSnapshots(
                ScriptedConfigs.snapshot("limit", content)
                    .setKeyId(keyId)
                    .setSignature(ByteString.copyFrom(signature.sign())))
            .build();
    server.assign(assignment, Map.of("limit", content));
  }

  @Test
  void listenerThatBlocks_holdsUpNeitherReadsNorTheStream() {
    List<Runnable> waiting = new ArrayList<>();
    start();
    server.assign("limit", 1, 7, "7");
    registry.callbacks = waiting::add;
    server.assign("limit", 1, 8, "8");
    server.bookmark();
    assertEquals(7, limit.get());
    assertFalse(agent.status().ready());
    registry.callbacks = Runnable::run;
    List.copyOf(waiting).forEach(Runnable::run);
    registry.clock.runDue();
    assertEquals(8, limit.get());
    assertTrue(agent.status().ready());
  }

  @Test
  void closedAgent_changesNothing_andCanBeRead() {
    start();
    server.assign("limit", 1, 7, "7");
    agent.close();
    registry.clock.runDue();
    assertEquals(7, limit.get());
    registry.advance(60_000);
    assertEquals(1, server.hellos.size());
  }
}
