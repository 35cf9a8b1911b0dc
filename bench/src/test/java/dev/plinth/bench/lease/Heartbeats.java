package dev.plinth.bench.lease;

import com.google.protobuf.util.Durations;
import dev.plinth.bench.Load.Times;
import dev.plinth.bench.Measured;
import dev.plinth.lease.v1.HeartbeatRequest;
import dev.plinth.lease.v1.HeartbeatResponse;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceBlockingStub;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceStub;
import dev.plinth.lease.v1.OpenSessionRequest;
import dev.plinth.machine.Threads;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * Sends heartbeats of a few sessions at a fixed pace, whether or not the last was answered, over a
 * connection of their own. The sessions are on the shard that is under load.
 */
final class Heartbeats implements AutoCloseable {
  private static final int SESSIONS = 16;
  private static final long INTERVAL_NANOS = TimeUnit.MICROSECONDS.toNanos(2_500);

  private final ManagedChannel channel;
  private final LeaseServiceStub stub;
  private final List<String> sessions;
  private final ScheduledExecutorService sender =
      Executors.newSingleThreadScheduledExecutor(Threads.daemons("heartbeats"));
  private final Recorder nanos = new Recorder(TimeUnit.MINUTES.toNanos(1), 2);
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private volatile long countedFrom;
  private volatile long countedTo;
  private int next;

  Heartbeats(String target) {
    channel = ManagedChannelBuilder.forTarget(target).usePlaintext().directExecutor().build();
    stub = LeaseServiceGrpc.newStub(channel);
    LeaseServiceBlockingStub opening = LeaseServiceGrpc.newBlockingStub(channel);
    sessions = IntStream.range(0, SESSIONS).mapToObj(i -> open(opening, i)).toList();
  }

  private static String open(LeaseServiceBlockingStub leases, int number) {
    return leases
        .openSession(
            OpenSessionRequest.newBuilder()
                .setNamespace(LeaseCalls.ONE_NAMESPACE)
                .setOwnerId("heartbeats" + number)
                .setTtl(Durations.fromSeconds(30))
                .setRequestId("heartbeats" + number)
                .build())
        .getSessionId();
  }

  /** Counts those sent while the load beside it is counted. */
  void start(Times times) {
    countedFrom = System.nanoTime() + (long) (times.warmUp() * 1e9);
    countedTo = countedFrom + (long) (times.seconds() * 1e9);
    sender.scheduleAtFixedRate(this::send, 0, INTERVAL_NANOS, TimeUnit.NANOSECONDS);
  }

  private void send() {
    HeartbeatRequest request =
        HeartbeatRequest.newBuilder()
            .setNamespace(LeaseCalls.ONE_NAMESPACE)
            .setSessionId(sessions.get(next++ % SESSIONS))
            .build();
    long sent = System.nanoTime();
    inFlight.incrementAndGet();
    stub.heartbeat(
        request,
        new StreamObserver<>() {
          @Override
          public void onNext(HeartbeatResponse answer) {
            if (sent - countedFrom >= 0 && sent - countedTo < 0) {
              nanos.recordValue(System.nanoTime() - sent);
            }
          }

          @Override
          public void onError(Throwable thrown) {
            failure.compareAndSet(null, thrown);
            inFlight.decrementAndGet();
          }

          @Override
          public void onCompleted() {
            inFlight.decrementAndGet();
          }
        });
  }

  /** Ends, and fails if any heartbeat did. */
  Measured stop(Times times) throws InterruptedException {
    sender.shutdownNow();
    sender.awaitTermination(10, TimeUnit.SECONDS);
    for (int i = 0; i < 1_000 && inFlight.get() > 0; i++) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
    if (failure.get() != null || inFlight.get() > 0) {
      throw new IllegalStateException("heartbeats failed or lost", failure.get());
    }
    Histogram all = nanos.getIntervalHistogram();
    long count = all.getTotalCount();
    return new Measured(count, count, times.seconds(), all, count);
  }

  @Override
  public void close() {
    sender.shutdownNow();
    channel.shutdownNow();
  }
}
