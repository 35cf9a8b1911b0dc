package dev.plinth.lease.grpc;

import static dev.plinth.lease.grpc.LeaseCalls.BRIEF;
import static dev.plinth.lease.grpc.LeaseCalls.KEY;
import static dev.plinth.lease.grpc.LeaseCalls.LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Duration;
import com.google.protobuf.util.Durations;
import com.google.rpc.QuotaFailure;
import com.google.rpc.RetryInfo;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.v1.AcquireResponse.Outcome;
import dev.plinth.lease.v1.AcquireSetItem;
import dev.plinth.lease.v1.AcquireSetRequest;
import dev.plinth.lease.v1.GetPolicyRequest;
import dev.plinth.lease.v1.GetPolicyResponse;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.Policy;
import dev.plinth.lease.v1.SemaphoreRule;
import dev.plinth.lease.v1.SetPolicyRequest;
import dev.plinth.lease.v1.SetPolicyResponse;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.Refusal;
import io.grpc.Status;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** The rules of a namespace and what comes of breaking each. */
@OnEachStore(LeaseWiring.class)
class PoliciesTest {
  private static final Duration SECOND = Durations.fromSeconds(1);

  @Parameter ShardServer server;
  private LeaseCalls calls;

  @BeforeEach
  void begin() {
    calls = new LeaseCalls(server);
  }

  @Test
  void policyThatNobodySet_isThePlatforms() {
    GetPolicyResponse policy = get();
    assertEquals(0, policy.getVersion());
    assertEquals(BRIEF, policy.getPolicy().getMinTtl());
    assertEquals(Durations.fromHours(1), policy.getPolicy().getMaxTtl());
    assertEquals(Durations.fromSeconds(10), policy.getPolicy().getDefaultTtl());
    assertEquals(100, policy.getPolicy().getMaxPriority());
    assertTrue(policy.getPolicy().getMaxLeases() > 0);
  }

  @Test
  void policyThatIsTooLargeToStore_isRefused_andCostsNobodyTheShard() {
    Lease held = calls.grant("ann");
    Policy.Builder ascii = Policy.newBuilder();
    Policy.Builder wide = Policy.newBuilder();
    for (int i = 1000; i < 2000; i++) {
      ascii.addSemaphores(
          SemaphoreRule.newBuilder().setKeyPrefix("k".repeat(252) + i).setCapacity(1));
      wide.addSemaphores(
          SemaphoreRule.newBuilder().setKeyPrefix("\u6f22".repeat(252) + i).setCapacity(1));
    }
    double dropped = dropped();
    Refusal.of(() -> calls.policy(wide))
        .isOfField("policy.semaphores", ErrorReason.ERROR_REASON_FIELD_INVALID);
    assertEquals(1, calls.policy(ascii), "as many rules as there may be");
    assertEquals(1000, get().getPolicy().getSemaphoresCount());
    assertEquals(held.getToken(), calls.key().getHolders(0).getToken());
    assertEquals(dropped, dropped());
  }

  private double dropped() {
    return server.meters().get("plinth.shards.dropped").counter().count();
  }

  @Test
  void policy_isKeptAsSet_overARestartToo() {
    Policy.Builder policy =
        Policy.newBuilder()
            .setMinTtl(SECOND)
            .setMaxTtl(LONG)
            .setDefaultTtl(Durations.fromSeconds(20))
            .setMaxWait(LONG)
            .setMaxLockDelay(SECOND)
            .setDefaultLockDelay(BRIEF)
            .setMaxPriority(-3)
            .setMaxLeases(7)
            .setMaxSessions(6)
            .setMaxWaiters(5)
            .setMaxWaitersPerKey(4)
            .setMaxWaitersPerOwner(7)
            .setMaxFences(8)
            .setMaxElections(9)
            .setMaxAcquiresPerSecond(300)
            .addSemaphores(SemaphoreRule.newBuilder().setKeyPrefix("gpu ü-").setCapacity(2));
    assertEquals(1, calls.policy(policy));
    assertEquals(policy.build(), get().getPolicy());
    server.restart();
    assertEquals(policy.build(), get().getPolicy());
    assertEquals(1, get().getVersion());
    assertEquals(2, calls.policy(get().getPolicy().toBuilder()), "what was read can be set");
    assertEquals(policy.build(), get().getPolicy());
  }

  @Test
  void set_comparesTheVersion_andSentAgainCountsOnce() {
    SetPolicyRequest.Builder set =
        SetPolicyRequest.newBuilder()
            .setNamespace(calls.namespace)
            .setPolicy(Policy.getDefaultInstance())
            .setExpectedVersion(0);
    SetPolicyResponse first = calls.leases().setPolicy(set.clone().setRequestId("p1").build());
    assertEquals(1, first.getVersion());
    assertEquals(first, calls.leases().setPolicy(set.clone().setRequestId("p1").build()));
    Refusal conflict = Refusal.of(() -> calls.leases().setPolicy(set.build()));
    conflict.is(Status.Code.ABORTED, ErrorReason.ERROR_REASON_REVISION_CONFLICT);
    assertEquals("1", conflict.metadata().get("current"));
    assertEquals(
        2, calls.leases().setPolicy(set.clone().clearExpectedVersion().build()).getVersion());
  }

  @Test
  void get_tellsWhatThereIs() {
    String session = calls.session("ann");
    calls.grant(calls.wish("ann").setSessionId(session));
    var bob = calls.stream(calls.streamWish("bob"));
    bob.next();
    GetPolicyResponse now = get();
    assertEquals(1, now.getLeases());
    assertEquals(1, now.getSessions());
    assertEquals(1, now.getWaiters());
    bob.cancel();
  }

  @Test
  void defaults_areForThoseWhoAskForNone() {
    calls.policy(
        Policy.newBuilder().setDefaultTtl(BRIEF).setDefaultLockDelay(Durations.fromMinutes(1)));
    assertEquals(BRIEF, calls.grant(calls.wish("ann")).getTtl());
    assertEquals(BRIEF, calls.open(calls.opening("ann")).getTtl());
    Await.until("it expired", () -> calls.key().getHoldersCount() == 0);
    assertEquals(Outcome.OUTCOME_DELAYED, calls.acquire("bob").getOutcome());
  }

  @Test
  void ttlWaitLockDelayAndPriority_areBounded() {
    calls.policy(
        Policy.newBuilder()
            .setMinTtl(SECOND)
            .setMaxTtl(Durations.fromSeconds(30))
            .setMaxWait(SECOND)
            .setMaxLockDelay(SECOND)
            .setMaxPriority(3));
    for (Duration ttl : new Duration[] {BRIEF, LONG}) {
      violation("ttl", () -> calls.leases().acquire(calls.wish("ann").setTtl(ttl).build()));
      violation("ttl", () -> calls.open(calls.opening("ann").setTtl(ttl)));
    }
    violation("wait", () -> calls.leases().acquire(calls.wish("ann").setWait(LONG).build()));
    violation(
        "lock_delay", () -> calls.leases().acquire(calls.wish("ann").setLockDelay(LONG).build()));
    violation("lock_delay", () -> calls.open(calls.opening("ann").setLockDelay(LONG)));
    violation("priority", () -> calls.leases().acquire(calls.wish("ann").setPriority(4).build()));
    calls.stream(calls.streamWish("ann").setPriority(4))
        .refusal()
        .isOfField("priority", ErrorReason.ERROR_REASON_POLICY_VIOLATION);
    calls.grant(
        calls.wish("ann").setTtl(SECOND).setWait(SECOND).setLockDelay(SECOND).setPriority(3));
  }

  @Test
  void leases_areCounted_andFreedWhenTheyEnd() {
    calls.policy(Policy.newBuilder().setMaxLeases(2));
    Lease first = calls.grant(calls.wish("ann").setKey("a"));
    calls.grant(calls.wish("ann").setKey("b"));
    Refusal full = Refusal.of(() -> calls.leases().acquire(calls.wish("ann").build()));
    full.isExhausted(ErrorReason.ERROR_REASON_QUOTA_EXCEEDED);
    assertEquals(
        "leases of namespace " + calls.namespace,
        full.detail(QuotaFailure.class).getViolations(0).getSubject());
    calls.stream(calls.streamWish("ann"))
        .refusal()
        .isExhausted(ErrorReason.ERROR_REASON_QUOTA_EXCEEDED);
    assertEquals(
        Outcome.OUTCOME_REENTERED,
        calls.leases().acquire(calls.wish("ann").setKey("a").build()).getOutcome());
    calls.release(first);
    calls.release(first);
    calls.grant("ann");
  }

  @Test
  void set_isCountedByItsKeys() {
    calls.policy(Policy.newBuilder().setMaxLeases(2));
    AcquireSetRequest.Builder set =
        AcquireSetRequest.newBuilder().setNamespace(calls.namespace).setOwnerId("ann");
    for (String key : new String[] {"a", "b", "c"}) {
      set.addItems(AcquireSetItem.newBuilder().setKey(key));
    }
    Refusal.of(() -> calls.leases().acquireSet(set.build()))
        .isExhausted(ErrorReason.ERROR_REASON_QUOTA_EXCEEDED);
    assertEquals(0, get().getLeases());
    assertEquals(2, calls.leases().acquireSet(set.removeItems(2).build()).getLeasesCount());
  }

  @Test
  void sessions_areCounted_andFreedWhenTheyEnd() {
    calls.policy(Policy.newBuilder().setMaxSessions(1));
    String session = calls.session("ann");
    Refusal.of(() -> calls.open(calls.opening("bob")))
        .isExhausted(ErrorReason.ERROR_REASON_QUOTA_EXCEEDED);
    calls.close(session);
    calls.session("bob");
  }

  @Test
  void waiters_areCounted_andFreedWhenTheyLeave() {
    calls.policy(Policy.newBuilder().setMaxWaiters(1));
    calls.grant("ann");
    calls.grant(calls.wish("ann").setKey("other").setTtl(LONG));
    var bob = calls.stream(calls.streamWish("bob"));
    bob.next();
    Refusal.of(
            () -> calls.leases().acquire(calls.wish("cid").setKey("other").setWait(LONG).build()))
        .isExhausted(ErrorReason.ERROR_REASON_QUOTA_EXCEEDED);
    bob.cancel();
    Await.until("bob's place is given up", () -> get().getWaiters() == 0);
    assertEquals(
        1, calls.stream(calls.streamWish("cid").setKey("other")).next().getQueued().getPosition());
  }

  @Test
  void lineOfOneKey_canBeFull() {
    calls.policy(Policy.newBuilder().setMaxWaitersPerKey(1));
    calls.grant("ann");
    calls.stream(calls.streamWish("bob")).next();
    Refusal full =
        Refusal.of(() -> calls.leases().acquire(calls.wish("cid").setWait(LONG).build()));
    full.isExhausted(ErrorReason.ERROR_REASON_QUEUE_FULL);
    assertEquals("key " + KEY, full.detail(QuotaFailure.class).getViolations(0).getSubject());
  }

  @Test
  void rate_isLimited_andTellsWhenToComeBack() {
    calls.policy(Policy.newBuilder().setMaxAcquiresPerSecond(1));
    calls.grant("ann");
    Refusal tooFast = Refusal.of(() -> calls.acquire("bob"));
    tooFast.isExhausted(ErrorReason.ERROR_REASON_RATE_EXCEEDED);
    assertTrue(Durations.isPositive(tooFast.detail(RetryInfo.class).getRetryDelay()));
    Await.until("it may again", () -> calls.acquire("bob").getOutcome() == Outcome.OUTCOME_HELD);
  }

  private static void violation(String field, java.util.function.Supplier<?> call) {
    Refusal.of(call).isOfField(field, ErrorReason.ERROR_REASON_POLICY_VIOLATION);
  }

  private GetPolicyResponse get() {
    return calls
        .leases()
        .getPolicy(GetPolicyRequest.newBuilder().setNamespace(calls.namespace).build());
  }
}
