package dev.plinth.lease.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.ConfirmRequest;
import dev.plinth.lease.v1.ForceReleaseRequest;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceBlockingStub;
import dev.plinth.lease.v1.ReleaseRequest;
import dev.plinth.lease.v1.WatchEvent;
import dev.plinth.lease.v1.WatchRequest;
import dev.plinth.lease.v1.WatchResponse;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Watches through the real host, on the embedded store. */
class LeaseWatchTest {
  @TempDir Path folder;
  private EmbeddedLeases server;
  private LeaseServiceBlockingStub leases;

  @BeforeEach
  void start() {
    server = new EmbeddedLeases(folder, "--progress-interval=50ms");
    leases = LeaseServiceGrpc.newBlockingStub(server.channel());
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void watch_showsTheHoldsOfNow_thenEveryChange() {
    acquire("a");
    Iterator<WatchResponse> watch = watch("");
    assertEquals("a", watch.next().getSnapshot().getLeases(0).getKey());
    Lease b = acquire("b");
    leases.confirm(ConfirmRequest.newBuilder().setKey("b").setToken(b.getToken()).build());
    leases.release(ReleaseRequest.newBuilder().setKey("b").setToken(b.getToken()).build());
    leases.forceRelease(ForceReleaseRequest.newBuilder().setKey("a").setReason("test").build());
    acquire("brief", 100);
    assertEquals(
        List.of(
            "b GRANTED", "b CHANGED", "b RELEASED", "a FORCED", "brief GRANTED", "brief EXPIRED"),
        events(watch, 6));
  }

  @Test
  void watch_isForItsNamespaceAndPrefixAlone_andTellsOfProgress() {
    Iterator<WatchResponse> watch = watch("a/");
    assertTrue(watch.next().hasSnapshot());
    acquire("b/1");
    leases.acquire(
        AcquireRequest.newBuilder().setNamespace("other").setKey("a/0").setOwnerId("x").build());
    acquire("a/1");
    assertEquals(List.of("a/1 GRANTED"), events(watch, 1));
    while (!watch.next().hasProgress()) {
      // Whatever else comes, progress must.
    }
  }

  @Test
  void watch_resumesWithoutAGap_andWithoutASnapshot() {
    Iterator<WatchResponse> first = watch("");
    String token = first.next().getResumeToken();
    acquire("a");
    acquire("b");
    Iterator<WatchResponse> again = resume(token);
    assertEquals(List.of("a GRANTED", "b GRANTED"), events(again, 2));
  }

  @Test
  void watch_fromBeforeARestart_isToldOfTheGap_andStartsAgain() {
    String token = watch("").next().getResumeToken();
    acquire("a");
    stop();
    start();
    Iterator<WatchResponse> again = resume(token);
    assertTrue(again.next().hasGap());
    assertEquals("a", again.next().getSnapshot().getLeases(0).getKey());
  }

  @Test
  void resumeToken_thatIsNotOurs_isRefused() {
    for (String token : new String[] {"x", "w1.99.1", "w1.0.-1"}) {
      StatusRuntimeException refused =
          assertThrows(StatusRuntimeException.class, () -> resume(token).next());
      assertEquals(Status.Code.INVALID_ARGUMENT, refused.getStatus().getCode());
    }
  }

  @Test
  void watchersThatLeave_areForgotten() {
    Context.CancellableContext call = Context.current().withCancellation();
    call.run(() -> watch("").next());
    call.cancel(null);
    acquire("a"); // must not fail on the watcher that is gone
    assertEquals("a", watch("").next().getSnapshot().getLeases(0).getKey());
  }

  private Iterator<WatchResponse> watch(String prefix) {
    return leases.watch(WatchRequest.newBuilder().setKeyPrefix(prefix).build());
  }

  private Iterator<WatchResponse> resume(String token) {
    return leases.watch(WatchRequest.newBuilder().setResumeToken(token).build());
  }

  private static List<String> events(Iterator<WatchResponse> watch, int count) {
    List<String> seen = new ArrayList<>();
    while (seen.size() < count) {
      for (WatchEvent event : watch.next().getEvents().getEventsList()) {
        seen.add(event.getLease().getKey() + " " + event.getType().name().substring(5));
      }
    }
    return seen;
  }

  private Lease acquire(String key) {
    return acquire(key, 60_000);
  }

  private Lease acquire(String key, long ttlMillis) {
    return leases
        .acquire(
            AcquireRequest.newBuilder()
                .setKey(key)
                .setOwnerId("ann")
                .setTtl(Durations.fromMillis(ttlMillis))
                .build())
        .getLease();
  }
}
