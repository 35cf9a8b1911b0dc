package dev.plinth.client.member;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.MemberNameTakenException;
import dev.plinth.client.MembershipState;
import dev.plinth.client.PlinthClient;
import dev.plinth.client.PlinthClientBuilder;
import dev.plinth.client.RegistryServer;
import dev.plinth.registry.v1.DeregisterRequest;
import dev.plinth.registry.v1.Endpoint;
import dev.plinth.registry.v1.LabelFilter;
import dev.plinth.registry.v1.Member;
import dev.plinth.registry.v1.MemberState;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.FaultProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Members of a real registry, over the network. */
@Timeout(120)
class PlinthMemberTest {
  private static final JoinOptions ANN =
      JoinOptions.defaults()
          .name("ann")
          .endpoint("grpc", "10.0.0.7:8080")
          .label("zone", "a")
          .drainDelay(Duration.ZERO);

  @TempDir Path directory;
  private RegistryServer server;
  private PlinthClient client;

  @BeforeEach
  void start() {
    server = new RegistryServer(directory);
    client = builder(server.target()).build();
  }

  private static PlinthClientBuilder builder(String target) {
    return PlinthClient.builder(target).memberTtl(Duration.ofSeconds(2));
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  @Test
  void join_registersWhatTheOptionsSay_andCloseLeaves() throws Exception {
    PlinthMember member = client.members().join("web", ANN);
    Member seen = server.member("web", "ann");
    assertEquals(member.requireJoined(), seen.getIncarnation());
    assertEquals(MemberState.MEMBER_STATE_ALIVE, seen.getState());
    assertEquals(Map.of("zone", "a"), seen.getLabelsMap());
    assertEquals(
        List.of(Endpoint.newBuilder().setName("grpc").setAddress("10.0.0.7:8080").build()),
        seen.getEndpointsList());
    assertEquals(List.of(seen), client.members().list("web"));
    member.close();
    assertEquals(MemberState.MEMBER_STATE_LEFT, server.state("web", "ann"));
    assertEquals(MembershipState.LEFT, member.state());
    assertThrows(MembershipLostException.class, member::requireJoined);
    member.close();
  }

  @Test
  void membersOfTwoGroups_shareTheSession() throws Exception {
    client.members().join("web", ANN);
    client.members().join("api", ANN);
    assertEquals(
        server.member("web", "ann").getSessionId(), server.member("api", "ann").getSessionId());
  }

  @Test
  void close_drainsFirst_soThatWatchersHearOfItBeforeItLeaves() throws Exception {
    PlinthMember member = client.members().join("web", ANN.drainDelay(Duration.ofMillis(500)));
    try (PlinthClient other = builder(server.target()).build();
        GroupWatch watch = other.members().watch("web")) {
      Set<MemberState> seen = ConcurrentHashMap.newKeySet();
      watch.onChange(group -> group.members().forEach(each -> seen.add(each.getState())));
      assertEquals(1, watch.serving().size());
      member.close();
      Await.until("it is gone", () -> watch.members().isEmpty());
      assertTrue(seen.contains(MemberState.MEMBER_STATE_DRAINING), seen::toString);
    }
  }

  @Test
  void clientThatCloses_takesAllItsMembersAlong() throws Exception {
    try (PlinthClient other = builder(server.target()).build()) {
      for (int i = 0; i < 5; i++) {
        other.members().join("web", ANN.name("m-" + i).drainDelay(Duration.ofMillis(100)));
      }
      assertEquals(5, client.members().list("web").size());
    }
    assertEquals(List.of(), client.members().list("web"));
    assertEquals(MemberState.MEMBER_STATE_LEFT, server.state("web", "m-0"));
  }

  @Test
  void drainWeightAndLabels_areSeenByOthers() throws Exception {
    PlinthMember member = client.members().join("web", ANN);
    member.drain();
    assertEquals(MemberState.MEMBER_STATE_DRAINING, server.state("web", "ann"));
    member.undrain();
    assertEquals(MemberState.MEMBER_STATE_ALIVE, server.state("web", "ann"));
    member.setWeight(7);
    member.setLabels(Map.of("zone", "b"));
    assertEquals(7, server.member("web", "ann").getWeight());
    assertEquals(Map.of("zone", "b"), server.member("web", "ann").getLabelsMap());
    assertEquals(1, server.member("web", "ann").getEndpointsCount());
    assertThrows(CallFailedException.class, () -> member.setWeight(-1));
    member.setWeight(8);
    assertEquals(8, server.member("web", "ann").getWeight());
  }

  @Test
  void badGroup_failsTheJoin() {
    CallFailedException thrown =
        assertThrows(CallFailedException.class, () -> client.members().join("Web!", ANN));
    assertTrue(thrown.getMessage().contains("group"), thrown.getMessage());
  }

  @Test
  void nameOfAnother_isTaken_unlessItIsToBeReplaced() throws Exception {
    PlinthMember first = client.members().join("web", ANN);
    try (PlinthClient other = builder(server.target()).build()) {
      MemberNameTakenException taken =
          assertThrows(MemberNameTakenException.class, () -> other.members().join("web", ANN));
      assertEquals(first.requireJoined(), taken.holder().getIncarnation());
      PlinthMember second = other.members().join("web", ANN.replace());
      Await.until("told with a beat", () -> first.state() == MembershipState.LOST);
      assertEquals(second.requireJoined(), server.member("web", "ann").getIncarnation());
      second.close();
      Await.until("it gets the name back", () -> first.state() == MembershipState.JOINED);
    }
  }

  @Test
  void memberThatAnOperatorEnded_joinsAnew() throws Exception {
    PlinthMember member = client.members().join("web", ANN);
    long incarnation = member.requireJoined();
    List<Long> rejoined = new CopyOnWriteArrayList<>();
    member.onRejoined(rejoined::add);
    server
        .registry()
        .deregister(
            DeregisterRequest.newBuilder()
                .setGroup("web")
                .setName("ann")
                .setForce(true)
                .setActor("olga")
                .setReason("test")
                .build());
    Await.until("it is back", () -> !rejoined.isEmpty());
    assertTrue(rejoined.get(0) > incarnation);
    assertEquals(MemberState.MEMBER_STATE_ALIVE, server.state("web", "ann"));
  }

  @Test
  void falseLiveness_partitionedMember_isLostHere_beforeItIsDeadThere() throws Exception {
    try (FaultProxy proxy = FaultProxy.to("localhost", server.port());
        PlinthClient far = builder(proxy.address()).build()) {
      PlinthMember member = far.members().join("web", ANN);
      List<MemberState> there = new CopyOnWriteArrayList<>();
      member.onLost(() -> there.add(server.state("web", "ann")));
      proxy.cut();
      Await.until("lost", () -> !there.isEmpty());
      assertTrue(
          Set.of(MemberState.MEMBER_STATE_ALIVE, MemberState.MEMBER_STATE_SUSPECT)
              .contains(there.get(0)),
          there::toString);
      Await.until("dead", () -> server.state("web", "ann") == MemberState.MEMBER_STATE_DEAD);
      proxy.heal();
      Await.until("a new incarnation", () -> member.state() == MembershipState.JOINED);
      assertEquals(member.requireJoined(), server.member("web", "ann").getIncarnation());
    }
  }

  @Test
  void watch_goesOnOverABrokenConnection_andKeepsItsListMeanwhile() throws Exception {
    client.members().join("web", ANN);
    LabelFilter zone = LabelFilter.newBuilder().setKey("zone").addValues("a").build();
    try (FaultProxy proxy = FaultProxy.to("localhost", server.port());
        PlinthClient far = builder(proxy.address()).build();
        GroupWatch watch = far.members().watch("web", List.of(zone))) {
      assertEquals(1, watch.members().size());
      proxy.cut();
      client.members().join("web", ANN.name("bob"));
      client.members().join("web", ANN.name("carl").label("zone", "b"));
      assertEquals(1, watch.members().size());
      proxy.heal();
      Await.until("it has caught up", () -> watch.members().size() == 2);
      assertEquals("bob", watch.members().get(1).getName());
    }
  }

  @Test
  void closedClient_joinsNothing() {
    PlinthClient closed = builder(server.target()).build();
    closed.close();
    assertThrows(IllegalStateException.class, () -> closed.members().join("web", ANN));
  }
}
