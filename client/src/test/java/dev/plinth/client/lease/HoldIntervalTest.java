package dev.plinth.client.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.LeaseServer;
import dev.plinth.client.LeaseState;
import dev.plinth.client.PlinthClient;
import dev.plinth.client.PlinthClientBuilder;
import dev.plinth.client.TestMachine;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.FaultProxy;
import dev.plinth.testkit.ManualClock;
import io.grpc.ConnectivityState;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** V3: a holder's belief ends before another's grant, against the real server in real time. */
class HoldIntervalTest {
  private static final Duration TTL = Duration.ofMillis(1500);
  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir Path directory;
  private LeaseServer server;
  private FaultProxy proxy;

  @BeforeEach
  void start() {
    server = new LeaseServer(directory);
    proxy = FaultProxy.to("localhost", server.port());
  }

  @AfterEach
  void stop() {
    proxy.close();
    server.close();
  }

  @Test
  void V3_holderWhoseConnectionIsReset_isLostBeforeAnotherIsGranted() throws Exception {
    lostBeforeTheNextGrant(FaultProxy::cut);
  }

  @Test
  void V3_holderWhoseBeatsVanish_isLostBeforeAnotherIsGranted() throws Exception {
    lostBeforeTheNextGrant(FaultProxy::halfOpen);
  }

  /** The server renews, and the holder does not hear of it: it must not believe in its luck. */
  @Test
  void V3_holderWhoseAnswersVanish_isLostBeforeAnotherIsGranted() throws Exception {
    lostBeforeTheNextGrant(p -> p.drop(FaultProxy.Direction.TO_CLIENT));
  }

  private void lostBeforeTheNextGrant(Consumer<FaultProxy> fault) throws Exception {
    try (PlinthClient ann = brief(proxy.address()).build();
        PlinthClient bob = brief(server.target()).build()) {
      LeaseHandle first = ann.leases().tryAcquire("printer").orElseThrow();
      CompletableFuture<Long> lostAt = new CompletableFuture<>();
      first.onLost(() -> lostAt.complete(System.nanoTime()));
      fault.accept(proxy);
      LeaseHandle second = bob.leases().acquire("printer", LONG).orElseThrow();
      long grantedAt = System.nanoTime();
      assertTrue(lostAt.get(10, TimeUnit.SECONDS) - grantedAt < 0);
      assertEquals(LeaseState.LOST, first.state());
      assertTrue(second.token() > first.token());
      proxy.heal();
    }
  }

  /** Counted from the answer, the hold would seem to last longer here than the server gives it. */
  @Test
  void V3_holderOnASlowLink_countsFromBeforeItsSend() throws Exception {
    ManagedChannel slow =
        Grpc.newChannelBuilder(proxy.address(), InsecureChannelCredentials.create()).build();
    Duration ttl = Duration.ofSeconds(3);
    try (PlinthClient ann = PlinthClient.builder(slow).sessionTtl(ttl).build();
        PlinthClient bob = brief(server.target()).build()) {
      Await.until("connected", () -> slow.getState(true) == ConnectivityState.READY);
      proxy.delay(Duration.ofMillis(400));
      LeaseHandle first = ann.leases().tryAcquire("printer").orElseThrow();
      CompletableFuture<Long> lostAt = new CompletableFuture<>();
      first.onLost(() -> lostAt.complete(System.nanoTime()));
      proxy.cut();
      acquire(bob);
      long grantedAt = System.nanoTime();
      assertTrue(lostAt.get(10, TimeUnit.SECONDS) - grantedAt < 0);
    } finally {
      slow.shutdownNow();
    }
  }

  /** No scheduler runs, no call is made: the clock alone ends the hold. */
  @Test
  void V3_holderThatOnlyHasItsClock_isLostBeforeAnotherIsGranted() throws Exception {
    ManualClock clock = new ManualClock();
    long started = System.nanoTime();
    try (PlinthClient ann =
            brief(proxy.address())
                .machine(
                    TestMachine.of(
                        clock.nanos(), InstantSource.system(), new ManualClock().scheduler()))
                .callbacks(Runnable::run)
                .build();
        PlinthClient bob = brief(server.target()).build()) {
      LeaseHandle first = ann.leases().tryAcquire("printer").orElseThrow();
      CompletableFuture<Long> grantedAt =
          CompletableFuture.supplyAsync(
              () -> {
                acquire(bob);
                return System.nanoTime();
              });
      long lostAt = awaitLoss(first, clock, started);
      assertThrows(LeaseLostException.class, first::requireHeld);
      assertTrue(lostAt - grantedAt.get(10, TimeUnit.SECONDS) < 0);
    }
  }

  /** Moves the manual clock along with the real one. */
  private static long awaitLoss(LeaseHandle lease, ManualClock clock, long started) {
    while (lease.state() != LeaseState.LOST) {
      LockSupport.parkNanos(1_000_000);
      long behind = System.nanoTime() - started - clock.nanos().getAsLong();
      clock.advance(Duration.ofNanos(behind));
    }
    return System.nanoTime();
  }

  private static void acquire(PlinthClient client) {
    try {
      client.leases().acquire("printer", LONG).orElseThrow();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static PlinthClientBuilder brief(String target) {
    return PlinthClient.builder(target).sessionTtl(TTL);
  }
}
