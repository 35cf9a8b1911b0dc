package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.registry.v1.BeatRequest;
import dev.plinth.registry.v1.GetAssignmentRequest;
import dev.plinth.registry.v1.GetAssignmentResponse;
import dev.plinth.registry.v1.JoinGroupRequest;
import dev.plinth.registry.v1.OpenSessionRequest;
import dev.plinth.registry.v1.OpenSessionResponse;
import dev.plinth.registry.v1.OwnedPartition;
import dev.plinth.registry.v1.PartitionServiceGrpc;
import dev.plinth.registry.v1.PartitionServiceGrpc.PartitionServiceBlockingStub;
import dev.plinth.registry.v1.RegisterRequest;
import dev.plinth.registry.v1.RegistryServiceGrpc;
import dev.plinth.registry.v1.RegistryServiceGrpc.RegistryServiceBlockingStub;
import dev.plinth.registry.v1.ReleasePartitionsRequest;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Partitions whose shard's owner dies in the middle of a rebalance. */
class PartitionFailoverTest {
  private static final int COUNT = 200;
  private static final Duration TTL = Duration.ofSeconds(5);

  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();

  @TempDir Path directory;
  private PlinthNodes nodes;
  private String namespace;
  private final Map<String, OpenSessionResponse> sessions = new HashMap<>();

  /** The highest token that was seen of each partition, and who had it. */
  private final Map<Integer, Long> tokens = new HashMap<>();

  private final Map<Long, String> owners = new HashMap<>();

  @BeforeEach
  void start() {
    nodes = new PlinthNodes(directory, ETCD.hostPorts(), 2);
    nodes.startAll();
    nodes.awaitSpread(nodes.inOrder(2), 8, 8);
    namespace =
        IntStream.range(0, 100)
            .mapToObj(i -> "ns-" + i)
            .filter(name -> nodes.owns(0, name))
            .findFirst()
            .orElseThrow();
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  @Test
  void P1_P2_P5_ownerDiesInARebalance_nothingIsLost_andTheSilentOneLosesItsOwn() {
    join("a", Durations.fromMinutes(10));
    join("b", Durations.fromMinutes(10));
    await("half is revoked or moved", () -> releaseSome("a") && owned("b").size() >= 32);
    nodes.process(0).kill();
    awaitShares("a", "b");
    join("c", Durations.fromMillis(TTL.toMillis()));
    await(
        "c has some",
        () -> beat("c") && releaseSome("a") && releaseSome("b") && owned("c").size() >= 32);
    await(
        "c is dead, and the others have its partitions",
        () ->
            releaseSome("a") && releaseSome("b") && owned("a").size() + owned("b").size() == COUNT);
    awaitShares("a", "b");
  }

  /** What each has is told once, with tokens that rise. */
  private void awaitShares(String one, String other) {
    await(
        "even shares",
        () ->
            releaseSome(one)
                && releaseSome(other)
                && owned(one).size() == COUNT / 2
                && owned(other).size() == COUNT / 2);
    long distinct =
        IntStream.concat(
                owned(one).stream().mapToInt(OwnedPartition::getPartition),
                owned(other).stream().mapToInt(OwnedPartition::getPartition))
            .distinct()
            .count();
    assertEquals(COUNT, distinct);
  }

  private List<OwnedPartition> owned(String name) {
    List<OwnedPartition> owned = assignment(name).getPartitionsList();
    for (OwnedPartition each : owned) {
      String owner = owners.putIfAbsent(each.getToken(), name);
      assertTrue(owner == null || owner.equals(name), "P1: one token, one owner");
      long before = tokens.getOrDefault(each.getPartition(), 0L);
      assertTrue(each.getToken() >= before, "P2: tokens rise");
      tokens.put(each.getPartition(), each.getToken());
    }
    return owned;
  }

  /** Calls may fail while the shard has no owner. */
  private static void await(String what, BooleanSupplier condition) {
    Await.until(
        what,
        () -> {
          try {
            return condition.getAsBoolean();
          } catch (StatusRuntimeException e) {
            return switch (e.getStatus().getCode()) {
              case UNAVAILABLE, DEADLINE_EXCEEDED -> false;
              default -> throw e;
            };
          }
        });
  }

  /** True, so that it can stand in a condition. */
  private boolean releaseSome(String name) {
    ReleasePartitionsRequest.Builder request =
        ReleasePartitionsRequest.newBuilder()
            .setNamespace(namespace)
            .setGroup("web")
            .setName(name)
            .setSessionId(sessions.get(name).getSessionId());
    for (OwnedPartition each : owned(name)) {
      if (each.getRevoked() && request.getPartitionsCount() < 64) {
        request.addPartitionsBuilder().setPartition(each.getPartition()).setToken(each.getToken());
      }
    }
    if (request.getPartitionsCount() > 0) {
      partitions().releasePartitions(request.build());
    }
    return true;
  }

  private GetAssignmentResponse assignment(String name) {
    return partitions()
        .getAssignment(
            GetAssignmentRequest.newBuilder()
                .setNamespace(namespace)
                .setGroup("web")
                .setName(name)
                .setSessionId(sessions.get(name).getSessionId())
                .build());
  }

  private boolean beat(String name) {
    OpenSessionResponse session = sessions.get(name);
    registry()
        .beat(
            BeatRequest.newBuilder()
                .setNamespace(namespace)
                .setSessionId(session.getSessionId())
                .setIncarnation(session.getIncarnation())
                .build());
    return true;
  }

  /** Each call has a request id, so that one without an answer can be sent again. */
  private void join(String name, com.google.protobuf.Duration ttl) {
    await(
        name + " is there",
        () -> {
          OpenSessionResponse session =
              registry()
                  .openSession(
                      OpenSessionRequest.newBuilder()
                          .setNamespace(namespace)
                          .setClient("test")
                          .setTtl(ttl)
                          .setRequestId("open-" + name)
                          .build());
          sessions.put(name, session);
          registry()
              .register(
                  RegisterRequest.newBuilder()
                      .setNamespace(namespace)
                      .setGroup("web")
                      .setName(name)
                      .setSessionId(session.getSessionId())
                      .setSessionIncarnation(session.getIncarnation())
                      .setRequestId("register-" + name)
                      .build());
          partitions()
              .joinGroup(
                  JoinGroupRequest.newBuilder()
                      .setNamespace(namespace)
                      .setGroup("web")
                      .setName(name)
                      .setSessionId(session.getSessionId())
                      .setSessionIncarnation(session.getIncarnation())
                      .setPartitionCount(COUNT)
                      .setRequestId("join-" + name)
                      .build());
          return true;
        });
  }

  /** By the node that stays. */
  private RegistryServiceBlockingStub registry() {
    return RegistryServiceGrpc.newBlockingStub(nodes.channel(1))
        .withDeadlineAfter(5, TimeUnit.SECONDS);
  }

  private PartitionServiceBlockingStub partitions() {
    return PartitionServiceGrpc.newBlockingStub(nodes.channel(1))
        .withDeadlineAfter(5, TimeUnit.SECONDS);
  }
}
