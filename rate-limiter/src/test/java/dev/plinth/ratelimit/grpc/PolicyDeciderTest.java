package dev.plinth.ratelimit.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Timestamps;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.machine.Machine;
import dev.plinth.machine.Threads;
import dev.plinth.ratelimit.pipeline.CompiledPolicy;
import dev.plinth.ratelimit.v1.Algorithm;
import dev.plinth.ratelimit.v1.Policy;
import dev.plinth.ratelimit.v1.PolicyChange;
import dev.plinth.ratelimit.v1.PolicySnapshot;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.ratelimit.v1.WatchPoliciesRequest;
import dev.plinth.ratelimit.v1.WatchPoliciesResponse;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.grpc.LoopbackChannel;
import dev.plinth.shards.replica.Replica;
import dev.plinth.shards.replica.ReplicaOptions;
import dev.plinth.testkit.Await;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The policies that a node decides with, from an owner that the test speaks for. */
class PolicyDeciderTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(Threads.daemons("policies"));
  private final LoopbackChannel loopback = new LoopbackChannel(thread, Machine.system());
  private final Owner owner = new Owner();
  private Replica<CompiledPolicy> policies;
  private PolicyDecider decider;

  /** Notes who watches, and says what the test wants. */
  private static final class Owner extends RateLimitServiceGrpc.RateLimitServiceImplBase {
    final List<WatchPoliciesRequest> asked = new CopyOnWriteArrayList<>();
    final Map<String, ServerCallStreamObserver<WatchPoliciesResponse>> watchers =
        new ConcurrentHashMap<>();

    @Override
    public void watchPolicies(
        WatchPoliciesRequest request, StreamObserver<WatchPoliciesResponse> to) {
      var watcher = (ServerCallStreamObserver<WatchPoliciesResponse>) to;
      watcher.setOnCancelHandler(() -> watchers.remove(request.getDomain(), watcher));
      watchers.put(request.getDomain(), watcher);
      asked.add(request);
    }

    void awaitWatches(int many) {
      Await.until(many + " watches", () -> asked.size() >= many);
    }

    void say(String domain, String token, WatchPoliciesResponse.Builder message) {
      Await.until("a watch of " + domain, () -> watchers.containsKey(domain));
      watchers.get(domain).onNext(message.setResumeToken(token).build());
    }
  }

  private void open(int maxKeys, Duration idle, Duration maxWait, Duration progressInterval) {
    loopback.serve(owner);
    policies =
        new Replica<>(
            new ReplicaOptions(maxKeys, idle, maxWait, progressInterval),
            PolicyWatch.source(loopback.channel(), CompiledPolicy::of),
            CompiledPolicy::version,
            Machine.system(),
            thread);
    decider = new PolicyDecider(policies);
  }

  private void open() {
    open(100, LONG, LONG, LONG);
  }

  @AfterEach
  void close() {
    policies.close();
    thread.execute(loopback::close);
    loopback.awaitEnd();
    thread.shutdown();
  }

  private static Policy policy(String domain, long version) {
    return Policy.newBuilder()
        .setDomain(domain)
        .setVersion(version)
        .setChangedAt(Timestamps.fromMillis(5))
        .addRules(LimitCalls.bucket("all", 5).setVersion(version))
        .build();
  }

  private static WatchPoliciesResponse.Builder snapshot(Policy policy) {
    return WatchPoliciesResponse.newBuilder()
        .setSnapshot(PolicySnapshot.newBuilder().setPolicy(policy));
  }

  private static WatchPoliciesResponse.Builder change(Policy policy) {
    return WatchPoliciesResponse.newBuilder()
        .setChange(PolicyChange.newBuilder().setPolicy(policy));
  }

  private CompletableFuture<CompiledPolicy> decide(String domain, long minVersion) {
    return decider
        .decide(domain, minVersion, CompletableFuture::completedStage)
        .toCompletableFuture();
  }

  private void awaitVersion(String domain, long version) {
    Await.until(
        "version " + version + " of " + domain, () -> policies.get(domain).version() == version);
  }

  @Test
  void firstUse_waits_andAllWhoWaitAreServedByOneWatch() {
    open();
    assertFalse(policies.get("a").known());
    List<CompletableFuture<CompiledPolicy>> waiting = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      waiting.add(decide("a", i % 3));
    }
    owner.say("a", "t1", snapshot(policy("a", 2)));
    for (CompletableFuture<CompiledPolicy> one : waiting) {
      assertEquals(2, one.join().version());
    }
    assertEquals(1, owner.asked.size());
    assertEquals(1, decide("a", 2).join().policy().rules().size());
    assertFalse(decide("a", 3).isDone(), "that has to be waited for");
  }

  @Test
  void absence_isKnown_andLastsUntilThereIsOne() {
    open();
    CompletableFuture<CompiledPolicy> some = decide("a", 0);
    owner.say(
        "a",
        "t1",
        WatchPoliciesResponse.newBuilder().setSnapshot(PolicySnapshot.getDefaultInstance()));
    CompletionException missing = assertThrows(CompletionException.class, some::join);
    assertInstanceOf(Failure.Missing.class, missing.getCause());
    assertThrows(Failure.Missing.class, () -> decide("a", 0));
    CompletableFuture<CompiledPolicy> first = decide("a", 1);
    assertFalse(first.isDone(), "it may have just been made");
    owner.say("a", "t2", change(policy("a", 1)));
    assertEquals(1, first.join().version());
    assertEquals(1, owner.asked.size());
  }

  @Test
  void brokenWatch_isTakenUpWhereItWas_andTheLastPolicyDecidesMeanwhile() {
    open();
    policies.get("a");
    owner.say("a", "t1", snapshot(policy("a", 1)));
    owner.say("a", "t2", change(policy("a", 2)));
    awaitVersion("a", 2);
    owner.watchers.remove("a").onError(Status.UNAVAILABLE.asRuntimeException());
    owner.awaitWatches(2);
    assertEquals(2, decide("a", 0).join().version());
    assertTrue(policies.staleness().compareTo(Duration.ZERO) > 0);
    assertEquals("t2", owner.asked.get(1).getResumeToken());
    owner.say("a", "t3", change(policy("a", 3)));
    awaitVersion("a", 3);
    assertEquals(Duration.ZERO, policies.staleness());
  }

  @Test
  void silentOwner_isAskedAgain() {
    open(100, LONG, LONG, Duration.ofMillis(30));
    policies.get("a");
    owner.say("a", "t1", snapshot(policy("a", 1)));
    awaitVersion("a", 1);
    var first = owner.watchers.get("a");
    Await.until("another watch", () -> owner.asked.size() > 1);
    assertEquals("t1", owner.asked.get(1).getResumeToken());
    Await.until("the first is given up", first::isCancelled);
    assertEquals(1, decide("a", 0).join().version());
  }

  @Test
  void versionThatDoesNotCome_isNotWaitedForForEver() {
    open(100, LONG, Duration.ofMillis(50), LONG);
    Failure.Unavailable never =
        (Failure.Unavailable)
            assertThrows(CompletionException.class, () -> decide("a", 0).join()).getCause();
    assertEquals(ErrorReason.ERROR_REASON_POLICY_BEHIND, never.reason());
    owner.say("a", "t1", snapshot(policy("a", 4)));
    awaitVersion("a", 4);
    Failure.Unavailable behind =
        (Failure.Unavailable)
            assertThrows(CompletionException.class, () -> decide("a", 5).join()).getCause();
    assertEquals("4", behind.metadata().get("known"));
    assertEquals("5", behind.metadata().get("needed"));
  }

  @Test
  void policyThatCannotBeRead_leavesTheLastOne() {
    open();
    policies.get("a");
    owner.say("a", "t1", snapshot(policy("a", 1)));
    Policy later =
        policy("a", 2).toBuilder()
            .addRules(LimitCalls.bucket("b", 5).setAlgorithmValue(99))
            .build();
    owner.say("a", "t2", change(later));
    owner.awaitWatches(2);
    assertEquals("t1", owner.asked.get(1).getResumeToken(), "to be told of it again");
    assertEquals(1, decide("a", 0).join().version());
    Policy read =
        policy("a", 2).toBuilder()
            .addRules(
                LimitCalls.bucket("b", 5)
                    .clearBurst()
                    .setAlgorithm(Algorithm.ALGORITHM_FIXED_WINDOW))
            .build();
    owner.say("a", "t2", change(read));
    awaitVersion("a", 2);
  }

  @Test
  void tooManyDomains_theLeastRecentAreDropped() {
    open(20, LONG, LONG, LONG);
    for (int i = 0; i < 200; i++) {
      policies.get("d" + i);
      Await.until("room is made", () -> policies.size() <= 20);
      policies.get("busy");
    }
    Await.until("their watches end", () -> owner.watchers.size() <= 20);
    owner.say("busy", "t1", snapshot(policy("busy", 1)));
    awaitVersion("busy", 1);
    assertEquals(
        1,
        owner.asked.stream().filter(watch -> watch.getDomain().equals("busy")).count(),
        "what is used all the time stays");
  }

  @Test
  void idleDomain_isDropped_andABusyOneStays() {
    open(100, Duration.ofMillis(100), LONG, LONG);
    policies.get("idle");
    policies.get("busy");
    owner.awaitWatches(2);
    var first = owner.watchers.get("idle");
    assertNotNull(first);
    Await.until(
        "it is dropped",
        () -> {
          policies.get("busy");
          return first.isCancelled();
        });
    assertEquals(1, policies.size());
  }
}
