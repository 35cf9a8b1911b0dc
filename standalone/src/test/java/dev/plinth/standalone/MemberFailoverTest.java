package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.util.Durations;
import dev.plinth.registry.v1.BeatRequest;
import dev.plinth.registry.v1.EndCause;
import dev.plinth.registry.v1.ExplainMemberRequest;
import dev.plinth.registry.v1.ExplainMemberResponse;
import dev.plinth.registry.v1.Member;
import dev.plinth.registry.v1.MemberState;
import dev.plinth.registry.v1.OpenSessionRequest;
import dev.plinth.registry.v1.OpenSessionResponse;
import dev.plinth.registry.v1.RegisterRequest;
import dev.plinth.registry.v1.RegistryServiceGrpc;
import dev.plinth.registry.v1.RegistryServiceGrpc.RegistryServiceBlockingStub;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Members whose owner dies or hangs; their ttl is shorter than it takes another to notice. */
class MemberFailoverTest {
  private static final Duration TTL = Duration.ofSeconds(3);

  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();

  @TempDir Path directory;
  private PlinthNodes nodes;
  private String namespace;

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
  void R2_R3_ownerDies_whoBeatsLives_whoIsSilentDies() {
    OpenSessionResponse beating = open();
    Member alive = register(beating, "beats");
    Member silent = register(open(), "silent");
    nodes.process(0).kill();
    awaitBeat(beating);
    Await.until(
        "the silent one is dead",
        () -> {
          beat(beating);
          return explain("silent").getMember().getState() == MemberState.MEMBER_STATE_DEAD;
        });
    assertEquals(EndCause.END_CAUSE_EXPIRED, explain("silent").getEnd().getCause());
    assertEquals(silent.getIncarnation(), explain("silent").getMember().getIncarnation());
    assertLives(alive, beating);
  }

  @Test
  void R6_ownerThatHung_declaresNobodyDead() {
    OpenSessionResponse beating = open();
    Member alive = register(beating, "beats");
    nodes.process(0).signal("STOP");
    awaitBeat(beating);
    long until = System.nanoTime() + 3 * TTL.toNanos();
    Await.until("the deposed owner's deadlines are over", () -> beatUntil(beating, until));
    nodes.process(0).signal("CONT");
    long after = System.nanoTime() + TTL.toNanos();
    Await.until("it had time to act", () -> beatUntil(beating, after));
    assertLives(alive, beating);
  }

  /** On a slow machine it may have been SUSPECT for a while; DEAD it would have stayed. */
  private void assertLives(Member member, OpenSessionResponse session) {
    Await.until(
        "it is alive",
        () -> {
          beat(session);
          return explain(member.getName()).getMember().getState() == MemberState.MEMBER_STATE_ALIVE;
        });
    assertEquals(member.getIncarnation(), explain(member.getName()).getMember().getIncarnation());
  }

  private boolean beatUntil(OpenSessionResponse session, long nanos) {
    beat(session);
    return System.nanoTime() - nanos >= 0;
  }

  /** The node that lives has taken over, and knows the session. */
  private void awaitBeat(OpenSessionResponse session) {
    Await.until("a beat is answered", () -> beats(session));
  }

  private boolean beats(OpenSessionResponse session) {
    try {
      beat(session);
      return true;
    } catch (StatusRuntimeException e) {
      return switch (e.getStatus().getCode()) {
        case UNAVAILABLE, DEADLINE_EXCEEDED -> false;
        default -> throw e;
      };
    }
  }

  private void beat(OpenSessionResponse session) {
    BeatRequest request =
        BeatRequest.newBuilder()
            .setNamespace(namespace)
            .setSessionId(session.getSessionId())
            .setIncarnation(session.getIncarnation())
            .build();
    assertEquals(1, registry().beat(request).getMembers());
  }

  /** By the node that stays. */
  private RegistryServiceBlockingStub registry() {
    return RegistryServiceGrpc.newBlockingStub(nodes.channel(1))
        .withDeadlineAfter(2, TimeUnit.SECONDS);
  }

  private OpenSessionResponse open() {
    return registry()
        .openSession(
            OpenSessionRequest.newBuilder()
                .setNamespace(namespace)
                .setClient("test")
                .setTtl(Durations.fromMillis(TTL.toMillis()))
                .build());
  }

  private Member register(OpenSessionResponse session, String name) {
    return registry()
        .register(
            RegisterRequest.newBuilder()
                .setNamespace(namespace)
                .setGroup("web")
                .setName(name)
                .setSessionId(session.getSessionId())
                .setSessionIncarnation(session.getIncarnation())
                .build())
        .getMember();
  }

  private ExplainMemberResponse explain(String name) {
    return registry()
        .explainMember(
            ExplainMemberRequest.newBuilder()
                .setNamespace(namespace)
                .setGroup("web")
                .setName(name)
                .build());
  }
}
