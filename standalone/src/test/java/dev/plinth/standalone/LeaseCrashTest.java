package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.AcquireResponse.Outcome;
import dev.plinth.lease.v1.GetLeaseRequest;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceBlockingStub;
import dev.plinth.lease.v1.ReleaseRequest;
import dev.plinth.lease.v1.ReleaseResponse;
import dev.plinth.lease.v1.RenewItem;
import dev.plinth.lease.v1.RenewRequest;
import dev.plinth.lease.v1.RenewResult;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.JavaProcess;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * V16: kill -9 of the server in the middle of work. What was acknowledged is there afterwards; what
 * was not is there wholly or not at all.
 */
class LeaseCrashTest {
  private static final int CALLERS = 8;
  private static final int ROUNDS = 3;

  @TempDir Path directory;
  private final AtomicInteger names = new AtomicInteger();
  private final Map<AcquireRequest, AcquireResponse> granted = new ConcurrentHashMap<>();
  private final Map<ReleaseRequest, ReleaseResponse> released = new ConcurrentHashMap<>();
  private final Set<AcquireRequest> unansweredWishes = ConcurrentHashMap.newKeySet();
  private final Set<ReleaseRequest> unansweredReleases = ConcurrentHashMap.newKeySet();

  @Test
  void V16_acknowledgedLeasesTokensAndAnswers_surviveKill9() throws Exception {
    long highest = 0;
    try (JavaProcess plinth = start()) {
      workUntilKilled(plinth);
    }
    for (int round = 1; round <= ROUNDS; round++) {
      try (JavaProcess plinth = start()) {
        highest = checkAll(plinth, highest);
        if (round < ROUNDS) {
          workUntilKilled(plinth);
        }
      }
    }
  }

  private void workUntilKilled(JavaProcess plinth) throws Exception {
    int before = granted.size();
    ManagedChannel channel = channel(plinth);
    ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
    CountDownLatch ended = new CountDownLatch(CALLERS);
    for (int i = 0; i < CALLERS; i++) {
      callers.execute(
          () -> {
            try {
              acquireAndRelease(LeaseServiceGrpc.newBlockingStub(channel));
            } catch (StatusRuntimeException e) {
              // The kill; what was not answered may or may not be there.
            } finally {
              ended.countDown();
            }
          });
    }
    Await.until("work is under way", () -> granted.size() > before + 200);
    plinth.kill();
    assertTrue(ended.await(30, TimeUnit.SECONDS));
    callers.shutdownNow();
    channel.shutdownNow();
  }

  /** Keeps every second lease, until a call fails. */
  private void acquireAndRelease(LeaseServiceBlockingStub leases) {
    while (true) {
      int n = names.incrementAndGet();
      AcquireRequest acquire =
          AcquireRequest.newBuilder()
              .setKey("key" + n)
              .setOwnerId("ann")
              .setTtl(Durations.fromHours(1))
              .setRequestId("a" + n)
              .build();
      unansweredWishes.add(acquire);
      AcquireResponse lease = leases.acquire(acquire);
      granted.put(acquire, lease);
      unansweredWishes.remove(acquire);
      if (n % 2 == 0) {
        ReleaseRequest release =
            ReleaseRequest.newBuilder()
                .setKey("key" + n)
                .setToken(lease.getLease().getToken())
                .setRequestId("r" + n)
                .build();
        unansweredReleases.add(release);
        released.put(release, leases.release(release));
        unansweredReleases.remove(release);
      }
    }
  }

  private long checkAll(JavaProcess plinth, long highestBefore) {
    ManagedChannel channel = channel(plinth);
    try {
      LeaseServiceBlockingStub leases = LeaseServiceGrpc.newBlockingStub(channel);
      finishUnanswered(leases);
      granted.forEach((request, answer) -> assertEquals(answer, leases.acquire(request)));
      released.forEach((request, answer) -> assertEquals(answer, leases.release(request)));
      granted.forEach((request, answer) -> assertHeld(leases, answer));
      long highest =
          granted.values().stream().mapToLong(a -> a.getLease().getToken()).max().orElseThrow();
      assertEquals(
          granted.size(),
          granted.values().stream().map(a -> a.getLease().getToken()).distinct().count());
      AcquireResponse next =
          leases.acquire(
              AcquireRequest.newBuilder()
                  .setKey("next" + names.incrementAndGet())
                  .setOwnerId("bob")
                  .build());
      assertEquals(Outcome.OUTCOME_GRANTED, next.getOutcome());
      assertTrue(next.getLease().getToken() > highest, "tokens go on rising");
      assertTrue(highest > highestBefore);
      return next.getLease().getToken();
    } finally {
      channel.shutdownNow();
    }
  }

  /**
   * The kill met these before their commit, after it, or before the answer left: wholly done or not
   * at all, so that sent again they end as if nothing had been.
   */
  private void finishUnanswered(LeaseServiceBlockingStub leases) {
    for (AcquireRequest spec : unansweredWishes) {
      AcquireResponse answer = leases.acquire(spec);
      assertEquals(Outcome.OUTCOME_GRANTED, answer.getOutcome());
      assertEquals(1, answer.getLease().getEntries());
      granted.put(spec, answer);
    }
    for (ReleaseRequest release : unansweredReleases) {
      ReleaseResponse answer = leases.release(release);
      assertEquals(ReleaseResponse.Outcome.OUTCOME_RELEASED, answer.getOutcome());
      released.put(release, answer);
    }
    unansweredWishes.clear();
    unansweredReleases.clear();
  }

  private void assertHeld(LeaseServiceBlockingStub leases, AcquireResponse answer) {
    String key = answer.getLease().getKey();
    long token = answer.getLease().getToken();
    boolean wasReleased =
        released.keySet().stream().anyMatch(release -> release.getKey().equals(key));
    boolean held =
        leases.getLease(GetLeaseRequest.newBuilder().setKey(key).build()).getHoldersList().stream()
            .anyMatch(holder -> holder.getToken() == token);
    if (wasReleased) {
      assertTrue(!held, key + " was released");
      return;
    }
    assertTrue(held, key + " was acknowledged");
    RenewResult renewed =
        leases
            .renew(
                RenewRequest.newBuilder()
                    .addItems(RenewItem.newBuilder().setKey(key).setToken(token))
                    .build())
            .getResults(0);
    assertEquals(RenewResult.State.STATE_RENEWED, renewed.getState());
  }

  private JavaProcess start() {
    JavaProcess plinth =
        JavaProcess.start(directory, PlinthMain.class, "--port=0", "--admin-port=0");
    plinth.awaitLine("is ready");
    return plinth;
  }

  private static ManagedChannel channel(JavaProcess plinth) {
    int port = Integer.parseInt(plinth.awaitLine("gRPC on [^:]+:(\\d+)").group(1));
    return ManagedChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
  }
}
