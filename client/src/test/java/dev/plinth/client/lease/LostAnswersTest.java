package dev.plinth.client.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.LeaseServer;
import dev.plinth.client.LeaseState;
import dev.plinth.client.PlinthClient;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.FaultProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A network between client and server that loses answers. */
class LostAnswersTest {
  @TempDir Path directory;
  private LeaseServer server;
  private FaultProxy proxy;
  private PlinthClient client;

  @BeforeEach
  void start() throws InterruptedException {
    server = new LeaseServer(directory);
    proxy = FaultProxy.to("localhost", server.port());
    client =
        PlinthClient.builder(proxy.address())
            .callDeadline(Duration.ofMillis(300))
            .operationTimeout(Duration.ofSeconds(20))
            .build();
    client.leases().tryAcquire("warm-up").orElseThrow();
  }

  @AfterEach
  void stop() {
    proxy.heal();
    client.close();
    proxy.close();
    server.close();
  }

  @Test
  void grantWhoseAnswerIsLost_isGivenOnce() throws Exception {
    proxy.drop(FaultProxy.Direction.TO_CLIENT);
    CompletableFuture<LeaseHandle> acquiring = CompletableFuture.supplyAsync(this::acquire);
    Await.until("it is granted", () -> server.lease("printer").getHoldersCount() == 1);
    proxy.heal();
    LeaseHandle lease = acquiring.get(20, TimeUnit.SECONDS);
    assertEquals(1, server.lease("printer").getHolders(0).getEntries());
    assertEquals(lease.token(), server.lease("printer").getHolders(0).getToken());
  }

  @Test
  void grantThatItsCallerGaveUpOn_isGivenBack() throws Exception {
    try (PlinthClient hasty =
        PlinthClient.builder(proxy.address())
            .callDeadline(Duration.ofMillis(300))
            .operationTimeout(Duration.ofMillis(600))
            .build()) {
      hasty.leases().tryAcquire("warm-up-2").orElseThrow();
      proxy.drop(FaultProxy.Direction.TO_CLIENT);
      assertThrows(CallFailedException.class, () -> hasty.leases().tryAcquire("printer"));
      assertEquals(1, server.lease("printer").getHoldersCount());
      proxy.heal();
      Await.until("it is given back", () -> server.lease("printer").getHoldersCount() == 0);
    }
  }

  @Test
  void releaseWithoutAnAnswer_goesOnInTheBackground() {
    LeaseHandle lease = acquire();
    proxy.halfOpen();
    Thread.currentThread().interrupt(); // close must not wait for a server that is away
    lease.close();
    assertTrue(Thread.interrupted());
    assertEquals(LeaseState.RELEASED, lease.state());
    proxy.heal();
    Await.until("it is released", () -> server.lease("printer").getHoldersCount() == 0);
  }

  /** gRPC's own pause of about a second before it connects again would be too long here. */
  @Test
  void cutConnection_isJeopardy_andHealsToSafe_inTime() throws Exception {
    try (PlinthClient brief =
        PlinthClient.builder(proxy.address()).sessionTtl(Duration.ofMillis(1200)).build()) {
      LeaseHandle lease = brief.leases().tryAcquire("printer").orElseThrow();
      proxy.cut();
      Await.until("jeopardy", () -> lease.state() == LeaseState.JEOPARDY);
      proxy.heal();
      Await.until("safe again", () -> lease.state() == LeaseState.SAFE);
      assertEquals(lease.token(), lease.requireHeld());
    }
  }

  @Test
  void lostSession_isFinal_andTheNextAcquireOpensAnother() throws Exception {
    try (PlinthClient brief =
        PlinthClient.builder(proxy.address()).sessionTtl(Duration.ofMillis(400)).build()) {
      LeaseHandle lease = brief.leases().tryAcquire("printer").orElseThrow();
      proxy.cut();
      Await.until("lost", () -> lease.state() == LeaseState.LOST);
      proxy.heal();
      LeaseHandle next = brief.leases().acquire("printer", Duration.ofSeconds(20)).orElseThrow();
      assertTrue(next.token() > lease.token());
      assertEquals(LeaseState.LOST, lease.state());
      assertThrows(LeaseLostException.class, lease::requireHeld);
    }
  }

  private LeaseHandle acquire() {
    try {
      return client.leases().tryAcquire("printer").orElseThrow();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
