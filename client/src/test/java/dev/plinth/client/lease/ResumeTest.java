package dev.plinth.client.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.LeaseServer;
import dev.plinth.client.LeaseState;
import dev.plinth.client.PlinthClient;
import dev.plinth.client.election.Leadership;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.testkit.FaultProxy;
import io.grpc.Status.Code;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that dies, as the server sees it: cut off from one moment to the next. */
class ResumeTest {
  private static final Duration TTL = Duration.ofSeconds(20);

  @TempDir Path directory;
  private LeaseServer server;
  private FaultProxy proxy;
  private PlinthClient dead;
  private PlinthClient successor;

  @BeforeEach
  void start() {
    server = new LeaseServer(directory);
    proxy = FaultProxy.to("localhost", server.port());
    dead = PlinthClient.builder(proxy.address()).owner("ann").sessionTtl(TTL).build();
    successor = PlinthClient.builder(server.target()).owner("ann").sessionTtl(TTL).build();
  }

  @AfterEach
  void stop() {
    successor.close();
    proxy.close();
    dead.close();
    server.close();
  }

  @Test
  void resume_returnsWhatIsHeld_underItsTokens() throws Exception {
    LeaseHandle one = dead.leases().tryAcquire("one").orElseThrow();
    LeaseHandle two = dead.leases().tryAcquire("two").orElseThrow();
    SessionCredentials key = dead.leases().sessionCredentials();
    proxy.cut();
    List<LeaseHandle> held = successor.leases().resume(key);
    assertEquals(List.of("one", "two"), held.stream().map(LeaseHandle::key).sorted().toList());
    for (LeaseHandle lease : held) {
      LeaseHandle before = lease.key().equals("one") ? one : two;
      assertEquals(before.token(), lease.requireHeld());
      assertEquals(LeaseState.SAFE, lease.state());
      lease.close();
    }
    assertEquals(0, server.lease("one").getHoldersCount());
    assertFalse(key.toString().contains(key.secret()));
  }

  /** An answer lists the first 500. */
  @Test
  void resume_returnsAllThatIsHeld_howeverManyTheyAre() throws Exception {
    SessionCredentials key = dead.leases().sessionCredentials();
    Set<String> keys = new TreeSet<>();
    for (int i = 0; i < 510; i++) {
      keys.add("k" + i);
      server
          .leases()
          .acquire(
              AcquireRequest.newBuilder()
                  .setKey("k" + i)
                  .setOwnerId("ann/" + i)
                  .setSessionId(key.id())
                  .build());
    }
    server.leases().acquire(AcquireRequest.newBuilder().setKey("other").setOwnerId("bob").build());
    proxy.cut();
    List<LeaseHandle> held = successor.leases().resume(key);
    assertEquals(510, held.size());
    assertEquals(keys, held.stream().map(LeaseHandle::key).collect(Collectors.toSet()));
  }

  /**
   * Handles are numbered by each process; a second "ann/1" would enter what the first one holds.
   */
  @Test
  void handlesAfterAResume_areNotThoseBefore() throws Exception {
    dead.leases().tryAcquire("one").orElseThrow();
    SessionCredentials key = dead.leases().sessionCredentials();
    proxy.cut();
    successor.leases().resume(key);
    assertEquals(Optional.empty(), successor.leases().tryAcquire("one"));
    assertEquals(1, server.lease("one").getHolders(0).getEntries());
  }

  @Test
  void leadership_isHadAgain_inTheSameTerm() throws Exception {
    Leadership before = dead.election("cron").campaign("").await(TTL).orElseThrow();
    SessionCredentials key = dead.leases().sessionCredentials();
    proxy.cut();
    assertEquals(List.of(), successor.leases().resume(key));
    Leadership after = successor.election("cron").campaign("").await(TTL).orElseThrow();
    assertEquals(before.term(), after.term());
    assertEquals(before.token(), after.token());
    after.resign();
    assertEquals(Optional.empty(), successor.election("cron").leader());
  }

  @Test
  void wrongSecret_endedSession_andASessionInUse_areRefused() throws Exception {
    SessionCredentials key = dead.leases().sessionCredentials();
    CallFailedException denied =
        assertThrows(
            CallFailedException.class,
            () -> successor.leases().resume(new SessionCredentials(key.id(), "guessed")));
    assertEquals(ErrorReason.ERROR_REASON_TOKEN_INVALID, denied.reason());
    assertTrue(denied.code() == Code.UNAUTHENTICATED || denied.code() == Code.PERMISSION_DENIED);
    assertThrows(IllegalStateException.class, () -> dead.leases().resume(key));
    dead.close();
    CallFailedException ended =
        assertThrows(CallFailedException.class, () -> successor.leases().resume(key));
    assertEquals(ErrorReason.ERROR_REASON_SESSION_EXPIRED, ended.reason());
  }
}
