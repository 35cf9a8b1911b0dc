package dev.plinth.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.internal.ClientWire;
import dev.plinth.client.lease.LeaseHandle;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.HeartbeatRequest;
import dev.plinth.lease.v1.HeartbeatResponse;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceImplBase;
import dev.plinth.lease.v1.OpenSessionRequest;
import dev.plinth.lease.v1.OpenSessionResponse;
import dev.plinth.lease.v1.ReleaseAsk;
import dev.plinth.testkit.Await;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.distribution.pause.PauseDetector;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Nothing that the application does in a callback, or with the executor or the registry it chose,
 * stops the heartbeats. In real time, on the client's own thread: a session of 300 ms, of which
 * some beats fail.
 */
@Timeout(60)
class CallbackTest {
  private static final Duration TTL = Duration.ofMillis(600);

  private final AtomicInteger beats = new AtomicInteger();
  private final AtomicInteger failures = new AtomicInteger();
  private final AtomicInteger called = new AtomicInteger();
  private final CountDownLatch end = new CountDownLatch(1);
  private Server server;
  private ManagedChannel channel;

  @BeforeEach
  void start() throws Exception {
    String name = InProcessServerBuilder.generateName();
    server =
        InProcessServerBuilder.forName(name)
            .directExecutor()
            .addService(new OneKey())
            .build()
            .start();
    channel = InProcessChannelBuilder.forName(name).build();
  }

  @AfterEach
  void stop() {
    end.countDown();
    channel.shutdownNow();
    server.shutdownNow();
  }

  @Test
  void executorThatRefuses_stopsNoHeartbeat_andTheCallbackIsCalled() throws Exception {
    keepsBeating(
        builder()
            .callbacks(
                task -> {
                  throw new RejectedExecutionException("full");
                }),
        called::incrementAndGet);
    Await.until("called all the same", () -> called.get() > 0);
  }

  @Test
  void executorThatFailsWithAnError_stopsNoHeartbeat() throws Exception {
    keepsBeating(
        builder()
            .callbacks(
                task -> {
                  throw new AssertionError("broken");
                }),
        called::incrementAndGet);
  }

  @Test
  void executorThatBlocks_stopsNoHeartbeat() throws Exception {
    keepsBeating(builder().callbacks(task -> block()), called::incrementAndGet);
  }

  @Test
  void callbackThatFails_stopsNoHeartbeat_onWhateverThread() throws Exception {
    Executor[] executors = {null, Runnable::run};
    for (Executor executor : executors) {
      keepsBeating(
          builder().callbacks(executor),
          () -> {
            called.incrementAndGet();
            throw new LinkageError("a callback's own");
          });
      Await.until("called", () -> called.getAndSet(0) > 0);
    }
  }

  @Test
  void callbackThatBlocks_stopsNoHeartbeat_onWhateverThread() throws Exception {
    Executor[] executors = {null, Runnable::run};
    for (Executor executor : executors) {
      keepsBeating(builder().callbacks(executor), this::block);
    }
  }

  /** Else a callback that never returns would cost a thread with each jeopardy. */
  @Test
  void callbackThatHasNotReturned_isNotCalledOnceMore() throws Exception {
    keepsBeating(
        builder(),
        () -> {
          called.incrementAndGet();
          block();
        });
    assertTrue(called.get() <= 3, "once for each of the three that were registered");
  }

  @Test
  void registryThatFails_stopsNoHeartbeat() throws Exception {
    keepsBeating(builder().metrics(new BrokenRegistry()), called::incrementAndGet);
  }

  private PlinthClientBuilder builder() {
    return PlinthClient.builder(channel).sessionTtl(TTL);
  }

  /** Over several jeopardies, so that each callback is called. */
  private void keepsBeating(PlinthClientBuilder builder, Runnable callback) throws Exception {
    PlinthClient client = builder.build(); // not closed: that would wait for what blocks
    LeaseHandle lease = client.leases().tryAcquire("printer").orElseThrow();
    lease.onJeopardy(callback);
    lease.onLost(callback);
    lease.onReleaseAsked(ask -> callback.run());
    for (int i = 0; i < 3; i++) {
      failures.set(1);
      Await.until("a beat failed", () -> failures.get() == 0);
      int before = beats.get();
      Await.until("beats go on", () -> beats.get() >= before + 2);
      assertEquals(7, lease.requireHeld());
    }
    Await.until("safe", () -> lease.state() == LeaseState.SAFE);
  }

  private void block() {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private final class OneKey extends LeaseServiceImplBase {
    @Override
    public void openSession(OpenSessionRequest request, StreamObserver<OpenSessionResponse> to) {
      answer(
          to,
          OpenSessionResponse.newBuilder()
              .setSessionId("s")
              .setTtl(ClientWire.duration(TTL))
              .build());
    }

    @Override
    public void acquire(AcquireRequest request, StreamObserver<AcquireResponse> to) {
      Lease lease = Lease.newBuilder().setKey(request.getKey()).setToken(7).build();
      answer(
          to,
          AcquireResponse.newBuilder()
              .setOutcome(AcquireResponse.Outcome.OUTCOME_GRANTED)
              .setLease(lease)
              .build());
    }

    @Override
    public void heartbeat(HeartbeatRequest request, StreamObserver<HeartbeatResponse> to) {
      if (failures.compareAndSet(1, 0)) {
        to.onError(Status.UNAVAILABLE.asRuntimeException());
        return;
      }
      beats.incrementAndGet();
      ReleaseAsk ask =
          ReleaseAsk.newBuilder()
              .setToken(7)
              .setGrace(ClientWire.duration(Duration.ofHours(1)))
              .build();
      answer(
          to,
          HeartbeatResponse.newBuilder()
              .setTtl(ClientWire.duration(TTL))
              .addReleaseAsks(ask)
              .build());
    }

    private <A> void answer(StreamObserver<A> to, A answer) {
      to.onNext(answer);
      to.onCompleted();
    }
  }

  /** Its meters can be made, and fail when they are used. */
  private static final class BrokenRegistry extends SimpleMeterRegistry {
    @Override
    protected Counter newCounter(Meter.Id id) {
      return new Counter() {
        @Override
        public void increment(double amount) {
          throw new AssertionError("broken counter");
        }

        @Override
        public double count() {
          return 0;
        }

        @Override
        public Meter.Id getId() {
          return id;
        }
      };
    }

    @Override
    protected Timer newTimer(
        Meter.Id id, DistributionStatisticConfig config, PauseDetector pauses) {
      throw new AssertionError("unused");
    }

    @Override
    public Timer timer(String name, String... tags) {
      return new BrokenTimer();
    }
  }

  private static final class BrokenTimer extends io.micrometer.core.instrument.noop.NoopTimer {
    BrokenTimer() {
      super(null);
    }

    @Override
    public void record(Duration duration) {
      throw new IllegalStateException("broken timer");
    }
  }
}
