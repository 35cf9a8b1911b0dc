package dev.plinth.lease.grpc;

import static dev.plinth.lease.grpc.LeaseCalls.LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.AcquireResponse.Outcome;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.ListWaitersRequest;
import dev.plinth.lease.v1.Mode;
import dev.plinth.lease.v1.Policy;
import dev.plinth.lease.v1.SemaphoreRule;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.call.Refusal;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Holds that share a capacity, which the namespace's policy sets. */
@OnEachStore(LeaseWiring.class)
class SemaphoresTest {
  @Parameter ShardServer server;
  private LeaseCalls calls;

  @BeforeEach
  void begin() {
    calls = new LeaseCalls(server);
  }

  @Test
  void semaphore_letsInAsManyAsFit_byWeight() {
    capacity("gpu", 5);
    Lease ann = calls.grant(wish("ann", 3));
    assertEquals(3, ann.getWeight());
    assertEquals(Mode.MODE_SEMAPHORE, ann.getMode());
    AcquireResponse tooMuch = calls.leases().acquire(wish("bob", 3).build());
    assertEquals(Outcome.OUTCOME_HELD, tooMuch.getOutcome());
    calls.grant(wish("bob", 2));
    assertEquals(Outcome.OUTCOME_HELD, calls.leases().acquire(wish("cid", 1).build()).getOutcome());
    calls.release(ann);
    calls.grant(wish("cid", 3));
  }

  @Test
  void weight_isOneIfNoneIsGiven() {
    capacity("gpu", 1);
    assertEquals(1, calls.grant(wish("ann", 0)).getWeight());
  }

  @Test
  void semaphore_isNotReentered_eachGrantIsAHoldOfItsOwn() {
    capacity("gpu", 2);
    Lease first = calls.grant(wish("ann", 1));
    Lease second = calls.grant(wish("ann", 1));
    assertNotEquals(first.getToken(), second.getToken());
    assertEquals(2, calls.key("gpu").getHoldersCount());
  }

  @Test
  void semaphore_doesNotGoWithOtherModes() {
    capacity("gpu", 5);
    calls.grant(wish("ann", 1));
    for (Mode mode : new Mode[] {Mode.MODE_EXCLUSIVE, Mode.MODE_SHARED}) {
      AcquireRequest.Builder other = calls.wish("bob").setKey("gpu").setMode(mode);
      assertEquals(Outcome.OUTCOME_HELD, calls.leases().acquire(other.build()).getOutcome());
    }
  }

  @Test
  void keyWithoutARule_isRefused() {
    Refusal.of(() -> calls.leases().acquire(wish("ann", 1).build()))
        .isOfField("mode", ErrorReason.ERROR_REASON_POLICY_VIOLATION);
  }

  @Test
  void weightAboveTheCapacity_isRefused() {
    capacity("gpu", 5);
    Refusal.of(() -> calls.leases().acquire(wish("ann", 6).build()))
        .isOfField("weight", ErrorReason.ERROR_REASON_POLICY_VIOLATION);
  }

  @Test
  void longestPrefix_counts() {
    calls.policy(
        Policy.newBuilder()
            .addSemaphores(SemaphoreRule.newBuilder().setKeyPrefix("").setCapacity(1))
            .addSemaphores(SemaphoreRule.newBuilder().setKeyPrefix("gp").setCapacity(3))
            .addSemaphores(SemaphoreRule.newBuilder().setKeyPrefix("g").setCapacity(2)));
    calls.grant(wish("ann", 3));
    calls.grant(wish("ann", 2).setKey("g"));
    calls.grant(wish("ann", 1).setKey("x"));
  }

  @Test
  void moreCapacity_letsWaitersIn_andLessTakesNothingAway() {
    capacity("gpu", 2);
    calls.grant(wish("ann", 2));
    var bob =
        calls.stream(
            calls.streamWish("bob").setKey("gpu").setMode(Mode.MODE_SEMAPHORE).setWeight(2));
    assertEquals(1, bob.next().getQueued().getPosition());
    assertEquals(
        2,
        calls
            .leases()
            .listWaiters(
                ListWaitersRequest.newBuilder().setNamespace(calls.namespace).setKey("gpu").build())
            .getWaiters(0)
            .getWeight());
    capacity("gpu", 4);
    assertEquals(Outcome.OUTCOME_GRANTED, bob.next().getResult().getOutcome());
    capacity("gpu", 1);
    assertEquals(2, calls.key("gpu").getHoldersCount());
    assertEquals(Outcome.OUTCOME_HELD, calls.leases().acquire(wish("cid", 1).build()).getOutcome());
  }

  @Test
  void weights_surviveARestart() {
    capacity("gpu", 5);
    Lease ann = calls.grant(wish("ann", 3));
    server.restart();
    assertEquals(3, calls.key("gpu").getHolders(0).getWeight());
    assertEquals(Outcome.OUTCOME_HELD, calls.leases().acquire(wish("bob", 3).build()).getOutcome());
    calls.release(ann);
    calls.grant(wish("bob", 5));
  }

  private void capacity(String prefix, int capacity) {
    calls.policy(
        Policy.newBuilder()
            .addSemaphores(SemaphoreRule.newBuilder().setKeyPrefix(prefix).setCapacity(capacity)));
  }

  private AcquireRequest.Builder wish(String owner, int weight) {
    return calls
        .wish(owner)
        .setKey("gpu")
        .setTtl(LONG)
        .setMode(Mode.MODE_SEMAPHORE)
        .setWeight(weight);
  }
}
