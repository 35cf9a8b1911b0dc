package dev.plinth.client.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.DeadlockException;
import dev.plinth.client.LeaseServer;
import dev.plinth.client.LeaseState;
import dev.plinth.client.PlinthClient;
import dev.plinth.client.ResourceExhaustedException;
import dev.plinth.client.internal.ClientWire;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.v1.ForceReleaseRequest;
import dev.plinth.lease.v1.Policy;
import dev.plinth.lease.v1.SemaphoreRule;
import dev.plinth.lease.v1.SetPolicyRequest;
import dev.plinth.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Permits, sets, limits, deadlocks and operators, against the real service. */
class LeaseKindsTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir Path directory;
  private LeaseServer server;
  private PlinthClient ann;
  private PlinthClient bob;

  @BeforeEach
  void start() {
    server = new LeaseServer(directory);
    ann = client("ann");
    bob = client("bob");
  }

  @AfterEach
  void stop() {
    ann.close();
    bob.close();
    server.close();
  }

  private PlinthClient client(String owner) {
    return PlinthClient.builder(server.target())
        .owner(owner)
        .callDeadline(Duration.ofSeconds(10))
        .sessionTtl(Duration.ofSeconds(3))
        .build();
  }

  @Test
  void permits_fitIntoTheCapacity_eachWithATokenOfItsOwn() throws Exception {
    policy(Policy.newBuilder().addSemaphores(pool(3)));
    LeaseHandle two = ann.leases().tryAcquire("pool", permits(2)).orElseThrow();
    LeaseHandle one = ann.leases().tryAcquire("pool", permits(1)).orElseThrow();
    assertTrue(one.token() > two.token());
    assertEquals(Optional.empty(), bob.leases().tryAcquire("pool", permits(1)));
    two.close();
    assertTrue(bob.leases().tryAcquire("pool", permits(2)).isPresent());
  }

  @Test
  void set_isTakenWhole_orNotAtAll_andClosedWhole() throws Exception {
    policy(Policy.newBuilder().addSemaphores(pool(1)));
    List<LeaseSpec> wants =
        List.of(
            LeaseSpec.exclusive("ledger"), LeaseSpec.shared("rates"), LeaseSpec.permits("pool", 1));
    LeaseSet set = ann.leases().acquireSet(wants, Duration.ZERO).orElseThrow();
    assertEquals(
        List.of("ledger", "rates", "pool"), set.leases().stream().map(LeaseHandle::key).toList());
    assertEquals(set.lease("rates").token(), set.lease("rates").requireHeld());
    assertThrows(IllegalArgumentException.class, () -> set.lease("other"));
    assertTrue(bob.leases().tryAcquire("rates", AcquireOptions.defaults().shared()).isPresent());
    List<LeaseSpec> crossing = List.of(LeaseSpec.exclusive("free"), LeaseSpec.exclusive("ledger"));
    assertEquals(Optional.empty(), bob.leases().acquireSet(crossing, Duration.ZERO));
    assertEquals(0, server.lease("free").getHoldersCount());
    set.close();
    assertTrue(bob.leases().acquireSet(crossing, LONG).isPresent());
    assertEquals(0, server.lease("pool").getHoldersCount());
  }

  @Test
  void set_waitsInLine() throws Exception {
    LeaseHandle ledger = ann.leases().tryAcquire("ledger").orElseThrow();
    CompletableFuture<Optional<LeaseSet>> waiting =
        async(
            () ->
                bob.leases()
                    .acquireSet(
                        List.of(LeaseSpec.exclusive("free"), LeaseSpec.exclusive("ledger")), LONG));
    Await.until("bob is in line", () -> server.lease("ledger").getWaiters() == 1);
    ledger.close();
    assertEquals(2, waiting.get(10, TimeUnit.SECONDS).orElseThrow().leases().size());
  }

  @Test
  void circle_endsWithDeadlocked_andNothingIsLeftInLine() throws Exception {
    AcquireOptions worker = AcquireOptions.defaults().as("worker");
    LeaseHandle one = ann.leases().tryAcquire("one", worker).orElseThrow();
    LeaseHandle two = bob.leases().tryAcquire("two", worker).orElseThrow();
    CompletableFuture<Optional<LeaseHandle>> annWaits =
        async(() -> ann.leases().acquire("two", LONG, worker));
    Await.until("ann is in line", () -> server.lease("two").getWaiters() == 1);
    DeadlockException found =
        assertThrows(DeadlockException.class, () -> bob.leases().acquire("one", LONG, worker));
    assertEquals(ErrorReason.ERROR_REASON_DEADLOCK, found.reason());
    two.close();
    assertTrue(annWaits.get(10, TimeUnit.SECONDS).isPresent());
    one.close();
    Await.until("bob does not want it any more", () -> server.lease("one").getWaiters() == 0);
    assertEquals(0, server.lease("one").getHoldersCount());
  }

  @Test
  void fullLine_isALimit_withATimeToComeBack() throws Exception {
    policy(Policy.newBuilder().setMaxWaitersPerKey(1));
    ann.leases().tryAcquire("printer").orElseThrow();
    CompletableFuture<Optional<LeaseHandle>> first =
        async(() -> ann.leases().acquire("printer", LONG));
    Await.until("one is in line", () -> server.lease("printer").getWaiters() == 1);
    bob.leases().sessionCredentials(); // the wait below is not for the connection
    ResourceExhaustedException full =
        assertThrows(
            ResourceExhaustedException.class,
            () -> bob.leases().acquire("printer", Duration.ofMillis(300)));
    assertEquals(ErrorReason.ERROR_REASON_QUEUE_FULL, full.reason());
    assertTrue(full.retryAfter().compareTo(Duration.ZERO) > 0);
    ann.close();
    assertThrows(ExecutionException.class, () -> first.get(10, TimeUnit.SECONDS));
  }

  @Test
  void quotaAndRate_areLimits() throws Exception {
    policy(Policy.newBuilder().setMaxLeases(1));
    ann.leases().tryAcquire("one").orElseThrow();
    bob.leases().sessionCredentials(); // the wait below is not for the connection
    ResourceExhaustedException quota =
        assertThrows(
            ResourceExhaustedException.class,
            () -> bob.leases().acquire("two", Duration.ofMillis(300)));
    assertEquals(ErrorReason.ERROR_REASON_QUOTA_EXCEEDED, quota.reason());
    policy(Policy.newBuilder().setMaxAcquiresPerSecond(1));
    ResourceExhaustedException rate =
        assertThrows(ResourceExhaustedException.class, this::acquireFast);
    assertEquals(ErrorReason.ERROR_REASON_RATE_EXCEEDED, rate.reason());
    assertTrue(rate.retryAfter().compareTo(Duration.ZERO) > 0);
  }

  private void acquireFast() throws InterruptedException {
    for (int i = 0; i < 100; i++) {
      bob.leases().acquire("key " + i, Duration.ofMillis(300));
    }
  }

  @Test
  void askedByAnOperator_holderHearsOfIt_andLosesOnlyThat() throws Exception {
    LeaseHandle printer = ann.leases().tryAcquire("printer").orElseThrow();
    LeaseHandle other = ann.leases().tryAcquire("other").orElseThrow();
    CompletableFuture<String> asked = new CompletableFuture<>();
    printer.onReleaseAsked(ask -> asked.complete(ask.getActor() + ": " + ask.getReason()));
    CompletableFuture<Long> lostAt = new CompletableFuture<>();
    printer.onLost(() -> lostAt.complete(System.nanoTime()));
    CompletableFuture<Long> grantedAt = async(() -> grantedAt(bob));
    Await.until("bob is in line", () -> server.lease("printer").getWaiters() == 1);
    server
        .leases()
        .forceRelease(
            ForceReleaseRequest.newBuilder()
                .setKey("printer")
                .setGrace(ClientWire.duration(Duration.ofSeconds(3)))
                .setActor("ops")
                .setReason("maintenance")
                .build());
    assertEquals("ops: maintenance", asked.get(10, TimeUnit.SECONDS));
    // V3: belief ends before another's grant, here too.
    assertTrue(lostAt.get(10, TimeUnit.SECONDS) - grantedAt.get(10, TimeUnit.SECONDS) < 0);
    assertEquals(LeaseState.LOST, printer.state());
    assertEquals(other.token(), other.requireHeld());
  }

  private static long grantedAt(PlinthClient client) throws InterruptedException {
    client.leases().acquire("printer", LONG).orElseThrow();
    return System.nanoTime();
  }

  private static AcquireOptions permits(int weight) {
    return AcquireOptions.defaults().permits(weight);
  }

  private static SemaphoreRule pool(int capacity) {
    return SemaphoreRule.newBuilder().setKeyPrefix("pool").setCapacity(capacity).build();
  }

  private void policy(Policy.Builder policy) {
    server.leases().setPolicy(SetPolicyRequest.newBuilder().setPolicy(policy).build());
  }

  private static <T> CompletableFuture<T> async(Callable<T> call) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return call.call();
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
  }
}
