package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.HeartbeatRequest;
import dev.plinth.lease.v1.HeartbeatResponse;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceBlockingStub;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceStub;
import dev.plinth.lease.v1.ListLeasesRequest;
import dev.plinth.lease.v1.OpenSessionRequest;
import dev.plinth.lease.v1.OpenSessionResponse;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.TestSettings;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * V6: thousands of sessions die in the same moment, each with a key, while hundreds are kept alive:
 * every dead one is freed, and not one of the living is lost.
 */
class ExpiryStormTest {
  private static final int DOOMED = 20_000;
  private static final int LIVING = 200;
  private static final Duration LIVING_TTL = Duration.ofSeconds(12);
  private static final Duration UNTIL_STORM = Duration.ofSeconds(7);
  private static final Duration MIN_TTL = Duration.ofMillis(500);

  @TempDir Path directory;
  private final Map<String, Long> living = new HashMap<>();
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();
  private final AtomicInteger doomed = new AtomicInteger();
  private PlinthServer plinthServer;
  private ManagedChannel channel;

  @BeforeEach
  void start() {
    plinthServer =
        PlinthServer.start(
            TestSettings.read(
                PlinthSettings.class, "--port=0", "--admin-port=0", "--data-dir=" + directory));
    channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", plinthServer.port()).usePlaintext().build();
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    plinthServer.close();
  }

  @Test
  void V6_sessionsThatDieAtOnce_areFreed_andNoOtherIsLost() throws Exception {
    LeaseServiceBlockingStub stub = LeaseServiceGrpc.newBlockingStub(channel);
    for (int i = 0; i < LIVING; i++) {
      String session = stub.openSession(session(LIVING_TTL)).getSessionId();
      living.put(session, stub.acquire(request("living/" + i, session)).getLease().getToken());
    }
    Thread heartbeatSender = new Thread(this::beat, "heart");
    heartbeatSender.start();
    openDoomed(System.nanoTime() + UNTIL_STORM.toNanos());
    assertTrue(doomed.get() > 0);
    ListLeasesRequest left =
        ListLeasesRequest.newBuilder().setKeyPrefix("doomed/").setPageSize(1).build();
    Await.until("all are freed", () -> stub.listLeases(left).getLeasesCount() == 0);
    heartbeatSender.interrupt();
    heartbeatSender.join();
    assertEquals(List.of(), failures);
    ListLeasesRequest all =
        ListLeasesRequest.newBuilder().setKeyPrefix("living/").setPageSize(1000).build();
    assertEquals(
        Set.copyOf(living.values()),
        stub.listLeases(all).getLeasesList().stream()
            .map(Lease::getToken)
            .collect(Collectors.toSet()));
  }

  /** Each has just the time that is left until the storm. */
  private void openDoomed(long storm) throws InterruptedException {
    LeaseServiceStub stub = LeaseServiceGrpc.newStub(channel);
    Semaphore room = new Semaphore(500);
    for (int i = 0; i < DOOMED && failures.isEmpty(); i++) {
      room.acquire();
      Duration left = Duration.ofNanos(storm - System.nanoTime());
      if (left.compareTo(MIN_TTL) < 0) {
        room.release();
        break;
      }
      String key = "doomed/" + i;
      stub.openSession(
          session(left),
          then((OpenSessionResponse s) -> take(stub, request(key, s.getSessionId()), room)));
    }
    room.acquire(500);
  }

  /** One whose session is over already, on a slow machine, gets no key: that is fine too. */
  private void take(LeaseServiceStub stub, AcquireRequest spec, Semaphore room) {
    stub.acquire(
        spec,
        new StreamObserver<AcquireResponse>() {
          @Override
          public void onNext(AcquireResponse response) {
            doomed.incrementAndGet();
          }

          @Override
          public void onError(Throwable thrown) {
            room.release();
          }

          @Override
          public void onCompleted() {
            room.release();
          }
        });
  }

  private void beat() {
    LeaseServiceStub stub = LeaseServiceGrpc.newStub(channel);
    Semaphore room = new Semaphore(LIVING);
    try {
      while (failures.isEmpty()) {
        for (String session : living.keySet()) {
          room.acquire();
          stub.heartbeat(
              HeartbeatRequest.newBuilder().setSessionId(session).build(),
              then((HeartbeatResponse beat) -> room.release()));
        }
        TimeUnit.MILLISECONDS.sleep(500);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private <R> StreamObserver<R> then(Consumer<R> next) {
    return new StreamObserver<>() {
      @Override
      public void onNext(R answer) {
        next.accept(answer);
      }

      @Override
      public void onError(Throwable thrown) {
        failures.add(thrown);
      }

      @Override
      public void onCompleted() {}
    };
  }

  private static OpenSessionRequest session(Duration ttl) {
    return OpenSessionRequest.newBuilder()
        .setOwnerId("ann")
        .setTtl(Durations.fromMillis(ttl.toMillis()))
        .build();
  }

  private static AcquireRequest request(String key, String session) {
    return AcquireRequest.newBuilder().setKey(key).setOwnerId("ann").setSessionId(session).build();
  }
}
