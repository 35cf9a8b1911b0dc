package dev.plinth.client.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.LeaseServer;
import dev.plinth.client.LeaseState;
import dev.plinth.client.PlinthClient;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.testkit.Await;
import io.grpc.Status.Code;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against the real service, which cuts unary calls off after 300 ms so that waits take turns. */
class LeaseClientTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir Path directory;
  private LeaseServer server;
  private PlinthClient ann;
  private PlinthClient bob;

  @BeforeEach
  void start() {
    server = new LeaseServer(directory, "--limits.unary-deadline=300ms");
    ann = PlinthClient.builder(server.target()).owner("ann").build();
    bob = PlinthClient.builder(server.target()).owner("bob").build();
  }

  @AfterEach
  void stop() {
    ann.close();
    bob.close();
    server.close();
  }

  @Test
  void tryAcquire_grantsToOne_untilItCloses() throws Exception {
    LeaseHandle first = ann.leases().tryAcquire("printer").orElseThrow();
    assertEquals("printer", first.key());
    assertEquals(LeaseState.SAFE, first.state());
    assertTrue(first.remaining().compareTo(Duration.ofSeconds(9)) <= 0);
    assertEquals(first.token(), first.requireHeld());
    assertEquals(Optional.empty(), bob.leases().tryAcquire("printer"));
    first.close();
    assertTrue(bob.leases().tryAcquire("printer").orElseThrow().token() > first.token());
  }

  @Test
  void close_isIdempotent_andEndsTheHandle() throws Exception {
    LeaseHandle lease = ann.leases().tryAcquire("printer").orElseThrow();
    lease.close();
    LeaseHandle next = ann.leases().tryAcquire("printer").orElseThrow();
    lease.close();
    assertEquals(LeaseState.RELEASED, lease.state());
    assertEquals(Duration.ZERO, lease.remaining());
    assertThrows(LeaseLostException.class, lease::requireHeld);
    assertEquals(next.token(), server.lease("printer").getHolders(0).getToken());
  }

  @Test
  void acquire_waitsOverSeveralCalls_andIsHandedTheKey() throws Exception {
    LeaseHandle first = ann.leases().tryAcquire("printer").orElseThrow();
    CompletableFuture<Optional<LeaseHandle>> second =
        async(() -> bob.leases().acquire("printer", LONG));
    Await.until("bob is in line", () -> server.lease("printer").getWaiters() == 1);
    long since = System.nanoTime();
    Await.until("several calls passed", () -> System.nanoTime() - since > 1_000_000_000L);
    assertFalse(second.isDone());
    assertEquals(1, server.lease("printer").getWaiters());
    first.close();
    LeaseHandle lease = second.get(10, TimeUnit.SECONDS).orElseThrow();
    assertEquals(1, server.lease("printer").getHolders(0).getEntries());
    assertEquals(LeaseState.SAFE, lease.state());
  }

  @Test
  void acquire_inVain_isEmptyWhenTheWaitIsOver() throws Exception {
    ann.leases().tryAcquire("printer").orElseThrow();
    long since = System.nanoTime();
    assertEquals(Optional.empty(), bob.leases().acquire("printer", Duration.ofMillis(700)));
    assertTrue(System.nanoTime() - since >= 700_000_000L);
  }

  @Test
  void shortWait_onAFreshClient_isForTheLine_notForTheConnection() throws Exception {
    try (PlinthClient fresh = PlinthClient.connect(server.target())) {
      assertTrue(fresh.leases().acquire("printer", Duration.ofMillis(1)).isPresent());
    }
  }

  @Test
  void handlesOfOneClient_excludeEachOther() throws Exception {
    LeaseHandle first = ann.leases().tryAcquire("printer").orElseThrow();
    assertEquals(Optional.empty(), ann.leases().tryAcquire("printer"));
    first.close();
    assertTrue(ann.leases().tryAcquire("printer").isPresent());
  }

  @Test
  void reentrant_keepsTheToken_andTakesAsManyCloses() throws Exception {
    AcquireOptions again = AcquireOptions.defaults().reentrant();
    LeaseHandle outer = ann.leases().tryAcquire("printer", again).orElseThrow();
    LeaseHandle inner = ann.leases().tryAcquire("printer", again).orElseThrow();
    assertEquals(outer.token(), inner.token());
    inner.close();
    assertEquals(1, server.lease("printer").getHoldersCount());
    outer.close();
    assertEquals(0, server.lease("printer").getHoldersCount());
  }

  @Test
  void options_reachTheServer() throws Exception {
    AcquireOptions shared = AcquireOptions.defaults().shared().payload(new byte[] {7}).priority(3);
    ann.leases().tryAcquire("printer", shared).orElseThrow();
    bob.leases().tryAcquire("printer", shared).orElseThrow();
    assertEquals(2, server.lease("printer").getHoldersCount());
    assertEquals(7, server.lease("printer").getHolders(0).getPayload().byteAt(0));
    CallFailedException refused =
        assertThrows(
            CallFailedException.class,
            () -> ann.leases().tryAcquire("other", AcquireOptions.defaults().priority(101)));
    assertEquals(Code.INVALID_ARGUMENT, refused.code());
    assertEquals(ErrorReason.ERROR_REASON_FIELD_INVALID, refused.reason());
  }

  @Test
  void clientClose_releasesAll_andTellsTheHolders() throws Exception {
    LeaseHandle one = ann.leases().tryAcquire("one").orElseThrow();
    ann.leases().tryAcquire("two").orElseThrow();
    CountDownLatch lost = new CountDownLatch(1);
    one.onLost(lost::countDown);
    ann.close();
    assertTrue(lost.await(10, TimeUnit.SECONDS));
    assertEquals(LeaseState.LOST, one.state());
    assertTrue(bob.leases().tryAcquire("one").isPresent());
    assertTrue(bob.leases().tryAcquire("two").isPresent());
    assertThrows(IllegalStateException.class, () -> ann.leases().tryAcquire("three"));
  }

  @Test
  void heartbeats_keepLeasesWellBeyondTheirTtl() throws Exception {
    try (PlinthClient brief =
        PlinthClient.builder(server.target()).sessionTtl(Duration.ofMillis(1500)).build()) {
      LeaseHandle lease = brief.leases().tryAcquire("printer").orElseThrow();
      assertEquals(Optional.empty(), bob.leases().acquire("printer", Duration.ofSeconds(4)));
      assertEquals(lease.token(), lease.requireHeld());
    }
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
