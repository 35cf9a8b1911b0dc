package dev.plinth.ratelimit.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.RowMemory;
import dev.plinth.ratelimit.store.embedded.EmbeddedBudgetStore;
import dev.plinth.ratelimit.v1.CheckStreamRequest;
import dev.plinth.ratelimit.v1.CheckStreamResponse;
import dev.plinth.ratelimit.v1.Verdict;
import dev.plinth.shards.store.etcd.EtcdSettings;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.FaultProxy;
import dev.plinth.testkit.call.RecordedStream;
import dev.plinth.testkit.call.Refusal;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two nodes: who decides, and with which policy. */
class LimitNodesTest {
  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();
  @RegisterExtension static final SharedEngine REDIS = Engines.redis();

  private final EtcdSettings settings = LimitNode.settings();
  private final List<LimitNode> nodes = new ArrayList<>();
  private LimitNode a;
  private LimitNode b;

  private void start(Supplier<BudgetStore> budgets) {
    a = new LimitNode(ETCD.hostPorts(), settings, "a", budgets.get());
    nodes.add(a);
    b = new LimitNode(ETCD.hostPorts(), settings, "b", budgets.get());
    nodes.add(b);
    Await.until(
        "an even spread", () -> a.shards.served().size() == 2 && b.shards.served().size() == 2);
  }

  private void startOnRedis() {
    start(() -> LimitServer.redis(REDIS.hostPorts()));
  }

  @AfterEach
  void stop() {
    nodes.forEach(LimitNode::close);
  }

  @Test
  void checks_areAnsweredByEitherNode_whereBudgetsAreShared() {
    startOnRedis();
    LimitCalls atA = a.callsHere();
    LimitCalls atB = b.callsIn(atA.domain);
    long version = atB.put(LimitCalls.bucket("all", 5)).getVersion();
    double forwarded = b.forwarded();
    assertEquals(1, forwarded, "the policy went to its owner");
    for (LimitCalls calls : List.of(atA, atB, atA, atB, atB)) {
      assertEquals(
          Verdict.VERDICT_ALLOW,
          calls.check(calls.wish().setMinPolicyVersion(version)).getVerdict());
    }
    assertEquals(Verdict.VERDICT_DENY, atA.check().getVerdict());
    assertEquals(Verdict.VERDICT_DENY, atB.check().getVerdict());
    assertEquals(forwarded, b.forwarded(), "no check did");
  }

  @Test
  void checks_areDecidedByTheOwnerAlone_whereEachNodeHasItsOwnBudgets() {
    start(() -> EmbeddedBudgetStore.open(new RowMemory(1L << 30)));
    LimitCalls atA = a.callsHere();
    LimitCalls atB = b.callsIn(atA.domain);
    atA.put(LimitCalls.bucket("all", 10));
    int allowed = 0;
    for (int i = 0; i < 10; i++) {
      allowed += atA.check().getVerdict() == Verdict.VERDICT_ALLOW ? 1 : 0;
      allowed += atB.check().getVerdict() == Verdict.VERDICT_ALLOW ? 1 : 0;
    }
    assertEquals(10, allowed);
  }

  @Test
  void streamedChecks_findTheirWay_eachToItsOwner() {
    start(() -> EmbeddedBudgetStore.open(new RowMemory(1L << 30)));
    LimitCalls ofA = a.callsHere();
    LimitCalls ofB = b.callsHere();
    ofA.put(LimitCalls.bucket("all", 3));
    ofB.put(LimitCalls.bucket("all", 3));
    ofA.check();
    RecordedStream<CheckStreamRequest, CheckStreamResponse> recordedStream = new RecordedStream<>();
    StreamObserver<CheckStreamRequest> checks = b.callsIn(ofA.domain).stream(recordedStream);
    for (LimitCalls calls : List.of(ofA, ofB, ofA, ofB, ofA, ofB)) {
      checks.onNext(CheckStreamRequest.newBuilder().setCheck(calls.wish()).build());
    }
    checks.onNext(CheckStreamRequest.newBuilder().setCheck(ofA.wish().setCost(-1)).build());
    checks.onCompleted();
    int allowed = 0;
    int refused = 0;
    for (int i = 0; i < 7; i++) {
      CheckStreamResponse answer = recordedStream.next();
      allowed += answer.getDecision().getVerdict() == Verdict.VERDICT_ALLOW ? 1 : 0;
      refused += answer.getError().getReason().equals("FIELD_INVALID") ? 1 : 0;
    }
    recordedStream.end();
    assertEquals(2 + 3, allowed);
    assertEquals(1, refused);
  }

  @Test
  void changedPolicy_reachesEveryNode() {
    startOnRedis();
    LimitCalls atA = a.callsHere();
    LimitCalls atB = b.callsIn(atA.domain);
    atA.put(LimitCalls.bucket("all", 5));
    Await.until("b knows it", () -> atB.check().getPolicyVersion() == 1);
    atB.put(LimitCalls.bucket("all", 50));
    Await.until("a follows", () -> atA.check().getPolicyVersion() == 2);
    Await.until("b follows", () -> atB.check().getPolicyVersion() == 2);
  }

  @Test
  void nodeThatIsBehind_decidesByWhatItKnows_butNotOnBudgetsThatAreFurther() {
    startOnRedis();
    LimitCalls atA = a.callsHere();
    LimitCalls atB = b.callsIn(atA.domain);
    atA.put(LimitCalls.bucket("all", 50, "user"));
    Await.until("b knows it", () -> atB.check("user", "ann").getPolicyVersion() == 1);
    a.toPeers.drop(FaultProxy.Direction.TO_CLIENT); // b hears nothing more of a
    long version = atA.put(LimitCalls.bucket("all", 3, "user")).getVersion();
    atA.check(atA.wish("user", "ann").setMinPolicyVersion(version));
    assertEquals(1, atB.check("user", "bob").getPolicyVersion(), "nobody has touched bob's");
    Refusal behind = Refusal.of(() -> atB.check("user", "ann"));
    behind.is(Status.Code.UNAVAILABLE, ErrorReason.ERROR_REASON_POLICY_BEHIND);
    assertEquals("1", behind.metadata().get("known"));
    a.toPeers.heal();
    Await.until("b follows", () -> atB.check("user", "ann").getPolicyVersion() == version);
    assertEquals(version, atB.check("user", "bob").getPolicyVersion());
  }

  @Test
  void ownerThatLeaves_isNotMissed() {
    startOnRedis();
    LimitCalls atA = a.callsHere();
    LimitCalls atB = b.callsIn(atA.domain);
    atA.put(LimitCalls.bucket("all", 500_000));
    Await.until("b knows it", () -> atB.check().getPolicyVersion() == 1);
    Thread leaving = new Thread(a::close);
    nodes.remove(a);
    leaving.start();
    int checked = 0;
    while (leaving.isAlive() || !b.owns(atA.domain)) {
      assertEquals(Verdict.VERDICT_ALLOW, atB.check().getVerdict());
      checked++;
    }
    assertTrue(checked > 0);
    atB.put(LimitCalls.bucket("all", 1_000_000));
    Await.until("b follows itself", () -> atB.check().getPolicyVersion() == 2);
  }
}
