package dev.plinth.lease.grpc;

import static dev.plinth.lease.grpc.LeaseCalls.BRIEF;
import static dev.plinth.lease.grpc.LeaseCalls.LONG;
import static dev.plinth.lease.grpc.LeaseCalls.async;
import static dev.plinth.lease.grpc.LeaseCalls.get;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.v1.AcquireSetItem;
import dev.plinth.lease.v1.AcquireSetRequest;
import dev.plinth.lease.v1.AcquireSetResponse;
import dev.plinth.lease.v1.AcquireSetResponse.Outcome;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.Mode;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.Refusal;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** AcquireSet: all of the keys or none, and waits that would never end. */
@OnEachStore(LeaseWiring.class)
class AcquireSetTest {
  @Parameter ShardServer server;
  private LeaseCalls calls;

  @BeforeEach
  void begin() {
    calls = new LeaseCalls(server);
  }

  @Test
  void set_ofFreeKeys_isGranted_inTheOrderOfItsItems() {
    AcquireSetResponse answer = acquire(set("ann", "c", "a", "b"));
    assertEquals(Outcome.OUTCOME_GRANTED, answer.getOutcome());
    assertEquals(List.of("c", "a", "b"), keys(answer));
    assertEquals(3, answer.getLeasesList().stream().map(Lease::getToken).distinct().count());
    for (String key : List.of("a", "b", "c")) {
      assertEquals("ann", calls.key(key).getHolders(0).getOwnerId());
    }
  }

  @Test
  void set_withAHeldKey_takesNone_andNamesIt() {
    hold("bob", "b");
    AcquireSetResponse answer = acquire(set("ann", "a", "b", "c"));
    assertEquals(Outcome.OUTCOME_HELD, answer.getOutcome());
    assertEquals(List.of("b"), answer.getBlockingKeysList());
    assertEquals(0, answer.getLeasesCount());
    assertEquals(0, calls.key("a").getHoldersCount());
    assertEquals(0, calls.key("c").getHoldersCount());
  }

  @Test
  void set_waits_untilItCanHaveAll() throws Exception {
    Lease a = hold("bob", "a");
    Lease b = hold("bob", "b");
    var ann = async(() -> acquire(set("ann", "a", "b").setWait(LONG)));
    Await.until("ann is in both lines", () -> waiters("a") == 1 && waiters("b") == 1);
    calls.release(a);
    assertEquals(0, calls.key("a").getHoldersCount(), "half a set is none");
    calls.release(b);
    assertEquals(Outcome.OUTCOME_GRANTED, get(ann).getOutcome());
    assertEquals(0, waiters("a") + waiters("b"));
  }

  @Test
  void set_thatWaitsInVain_timesOut_andLeavesEveryLine() {
    hold("bob", "b");
    AcquireSetResponse answer = acquire(set("ann", "a", "b").setWait(BRIEF));
    assertEquals(Outcome.OUTCOME_TIMED_OUT, answer.getOutcome());
    assertEquals(List.of("b"), answer.getBlockingKeysList());
    assertEquals(0, waiters("a") + waiters("b"));
    hold("cid", "a");
  }

  @Test
  void set_withABarredKey_isDelayed() {
    calls.grant(calls.wish("bob").setKey("b").setTtl(BRIEF).setLockDelay(LONG));
    Await.until("it expired", () -> calls.key("b").getHoldersCount() == 0);
    AcquireSetResponse answer = acquire(set("ann", "a", "b"));
    assertEquals(Outcome.OUTCOME_DELAYED, answer.getOutcome());
    assertEquals(List.of("b"), answer.getBlockingKeysList());
    assertTrue(Durations.isPositive(answer.getRetryAfter()));
  }

  @Test
  void set_withAKeyOfItsOwn_entersItOnceMore_evenIfOthersWaitForIt() throws Exception {
    Lease own = hold("ann", "a");
    var bob = calls.stream(calls.streamWish("bob").setKey("a"));
    bob.next();
    AcquireSetResponse answer = acquire(set("ann", "a", "b"));
    assertEquals(Outcome.OUTCOME_GRANTED, answer.getOutcome());
    assertEquals(own.getToken(), answer.getLeases(0).getToken());
    assertEquals(2, answer.getLeases(0).getEntries());
    bob.cancel();
  }

  @Test
  void set_hasModesOfItsOwn_aKey() {
    calls.grant(calls.wish("bob").setKey("read").setMode(Mode.MODE_SHARED).setTtl(LONG));
    AcquireSetRequest.Builder set = set("ann", "write");
    set.addItems(AcquireSetItem.newBuilder().setKey("read").setMode(Mode.MODE_SHARED));
    assertEquals(Outcome.OUTCOME_GRANTED, acquire(set).getOutcome());
    assertEquals(2, calls.key("read").getHoldersCount());
  }

  @Test
  void set_sentAgain_getsItsFirstAnswer_overARestartToo() {
    AcquireSetRequest.Builder set = set("ann", "a", "b").setRequestId("s1");
    AcquireSetResponse first = acquire(set);
    assertEquals(first, acquire(set));
    server.restart();
    assertEquals(first, acquire(set));
    assertEquals(1, calls.key("a").getHolders(0).getEntries());
  }

  @Test
  void setWhoseCallEnds_leavesEveryLine() {
    hold("bob", "b");
    var ann =
        LeaseServiceGrpc.newFutureStub(calls.channel())
            .acquireSet(set("ann", "a", "b").setWait(LONG).build());
    Await.until("ann is in both lines", () -> waiters("a") + waiters("b") == 2);
    ann.cancel(true);
    Await.until("ann has left", () -> waiters("a") + waiters("b") == 0);
  }

  @Test
  void waitThatWouldNeverEnd_isRefused_withItsCircle() throws Exception {
    hold("ann", "a");
    Lease b = hold("bob", "b");
    var ann = async(() -> acquire(set("ann", "b").setWait(LONG)));
    Await.until("ann waits for b", () -> waiters("b") == 1);
    Refusal bob = Refusal.of(() -> acquire(set("bob", "a", "c").setWait(LONG)));
    bob.is(Status.Code.ABORTED, ErrorReason.ERROR_REASON_DEADLOCK);
    String circle = bob.metadata().get("cycle");
    assertTrue(circle.contains("bob waits for a") && circle.contains("ann waits for b"), circle);
    assertEquals(0, waiters("a"), "it left no trace");
    calls.release(b);
    assertEquals(Outcome.OUTCOME_GRANTED, get(ann).getOutcome());
  }

  @Test
  void philosophers_allEat() throws Exception {
    int seats = 5;
    List<CompletableFuture<AcquireSetResponse>> meals = new ArrayList<>();
    for (int i = 0; i < seats * 4; i++) {
      String owner = "p" + i;
      AcquireSetRequest.Builder forks =
          set(owner, "fork" + i % seats, "fork" + (i + 1) % seats).setWait(LONG);
      meals.add(
          async(
              () -> {
                AcquireSetResponse meal = acquire(forks);
                meal.getLeasesList().forEach(calls::release);
                return meal;
              }));
    }
    for (var meal : meals) {
      assertEquals(Outcome.OUTCOME_GRANTED, get(meal).getOutcome());
    }
  }

  private AcquireSetRequest.Builder set(String owner, String... keys) {
    AcquireSetRequest.Builder set =
        AcquireSetRequest.newBuilder().setNamespace(calls.namespace).setOwnerId(owner).setTtl(LONG);
    for (String key : keys) {
      set.addItems(AcquireSetItem.newBuilder().setKey(key));
    }
    return set;
  }

  private AcquireSetResponse acquire(AcquireSetRequest.Builder set) {
    return calls.leases().acquireSet(set.build());
  }

  private Lease hold(String owner, String key) {
    return calls.grant(calls.wish(owner).setKey(key).setTtl(LONG));
  }

  private int waiters(String key) {
    return calls.key(key).getWaiters();
  }

  private static List<String> keys(AcquireSetResponse answer) {
    return answer.getLeasesList().stream().map(Lease::getKey).toList();
  }
}
