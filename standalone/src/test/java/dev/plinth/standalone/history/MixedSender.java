package dev.plinth.standalone.history;

import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceBlockingStub;
import dev.plinth.testkit.History;
import dev.plinth.testkit.lease.LogAnswer;
import dev.plinth.testkit.lease.LogCall;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Sends the calls of the mixed work from node to node until one answers, and records them. */
final class MixedSender {
  private static final Duration PATIENT = Duration.ofSeconds(40);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long TRY_MILLIS = 700;
  private static final Set<Status.Code> NO_ANSWER =
      EnumSet.of(
          Status.Code.UNAVAILABLE,
          Status.Code.DEADLINE_EXCEEDED,
          Status.Code.CANCELLED,
          Status.Code.ABORTED,
          Status.Code.UNKNOWN);

  /** A weight that the capacity of now does not allow at all. */
  private static final Set<Status.Code> REFUSED =
      EnumSet.of(Status.Code.INVALID_ARGUMENT, Status.Code.FAILED_PRECONDITION);

  private final Cluster cluster;
  private final MixedWire wire;
  private final History<LogCall, LogAnswer> history;
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger answered = new AtomicInteger();
  private volatile int served;

  MixedSender(Cluster cluster, MixedWire wire, History<LogCall, LogAnswer> history) {
    this.cluster = cluster;
    this.wire = wire;
    this.history = history;
  }

  /** A name that no other call has. */
  String newOwner() {
    return "o" + requests.incrementAndGet();
  }

  int answered() {
    return answered.get();
  }

  /**
   * @param key of the hold that the call is about; empty if about none
   * @param givesUpAfter then the request is cancelled, and how it ended is the call's answer
   */
  Optional<LogAnswer> send(
      int client, LogCall call, String key, Duration wait, Optional<Duration> givesUpAfter) {
    String id = "m" + requests.incrementAndGet();
    History<LogCall, LogAnswer>.Call recorded = history.invoke(client, call);
    long start = System.nanoTime();
    long end = start + PATIENT.toNanos();
    boolean settles = false;
    int attempts = 0;
    for (int node = served; ; node = (node + 1) % cluster.size()) {
      Optional<Duration> left =
          givesUpAfter.map(time -> time.minusNanos(System.nanoTime() - start));
      boolean cancel = settles || left.filter(time -> time.toMillis() <= 0).isPresent();
      attempts++;
      long tryMillis = left.filter(t -> !cancel).map(Duration::toMillis).orElse(TRY_MILLIS);
      try {
        LogAnswer answer =
            wire.send(
                stub(node, Math.min(tryMillis, TRY_MILLIS)),
                new MixedWire.Sending(call, key, id, wait, cancel));
        // A refusal says nothing of copies that are still under way; a cancel settles it.
        if (attempts > 1 && !cancel && !answer.done() && call.kind() == LogCall.Kind.ACQUIRE) {
          settles = true;
          continue;
        }
        recorded.ok(answer);
        answered.incrementAndGet();
        served = node;
        return Optional.of(answer);
      } catch (StatusRuntimeException e) {
        if (REFUSED.contains(e.getStatus().getCode())
            && call.kind() == LogCall.Kind.ACQUIRE
            && call.items().get(0).mode() == LogCall.Mode.SEMAPHORE) {
          recorded.ok(LogAnswer.refused());
          return Optional.empty();
        } else if (!NO_ANSWER.contains(e.getStatus().getCode())) {
          throw e;
        }
      }
      if (System.nanoTime() - end >= 0) {
        recorded.unknown();
        return Optional.empty();
      }
      if (givesUpAfter.isEmpty() || cancel) {
        LockSupport.parkNanos(RETRY_NANOS);
      }
    }
  }

  private LeaseServiceBlockingStub stub(int node, long millis) {
    return LeaseServiceGrpc.newBlockingStub(cluster.node(node).channel())
        .withDeadlineAfter(millis, TimeUnit.MILLISECONDS);
  }
}
