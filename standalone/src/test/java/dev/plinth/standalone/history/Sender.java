package dev.plinth.standalone.history;

import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceBlockingStub;
import dev.plinth.testkit.History;
import dev.plinth.testkit.lease.LeaseAnswer;
import dev.plinth.testkit.lease.LeaseCall;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends calls and records them. A call goes from node to node, always with the same request id,
 * until one answers: in the history it is one operation from its first sending to its answer.
 */
final class Sender {
  static final Duration PATIENT = Duration.ofSeconds(40);
  static final Duration IMPATIENT = Duration.ZERO;
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long TRY_MILLIS = 700;

  /** No word on whether it had an effect. Everything else is a refusal that no test expects. */
  private static final Set<Status.Code> NO_ANSWER =
      EnumSet.of(
          Status.Code.UNAVAILABLE,
          Status.Code.DEADLINE_EXCEEDED,
          Status.Code.CANCELLED,
          Status.Code.ABORTED,
          Status.Code.UNKNOWN); // the connection broke in a write

  private final Cluster cluster;
  private final Wire wire;
  private final History<LeaseCall, LeaseAnswer> history;
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger answered = new AtomicInteger();
  private volatile int served;

  Sender(Cluster cluster, Wire wire, History<LeaseCall, LeaseAnswer> history) {
    this.cluster = cluster;
    this.wire = wire;
    this.history = history;
  }

  int answered() {
    return answered.get();
  }

  /** The node that last answered. */
  int served() {
    return served;
  }

  Optional<LeaseAnswer> send(int client, LeaseCall call, Duration wait, Duration timeout) {
    Wire.Sending sending = new Wire.Sending(call, "r" + requests.incrementAndGet(), wait);
    History<LeaseCall, LeaseAnswer>.Call recorded = history.invoke(client, call);
    long end = System.nanoTime() + timeout.toNanos();
    for (int node = served; ; node = (node + 1) % cluster.size()) {
      try {
        LeaseAnswer answer = wire.send(stub(node), sending);
        recorded.ok(answer);
        answered.incrementAndGet();
        served = node;
        return Optional.of(answer);
      } catch (StatusRuntimeException e) {
        if (!NO_ANSWER.contains(e.getStatus().getCode())) {
          throw e;
        }
      }
      if (System.nanoTime() - end >= 0) {
        recorded.unknown();
        return Optional.empty();
      }
      LockSupport.parkNanos(RETRY_NANOS);
    }
  }

  private LeaseServiceBlockingStub stub(int node) {
    return LeaseServiceGrpc.newBlockingStub(cluster.node(node).channel())
        .withDeadlineAfter(TRY_MILLIS, TimeUnit.MILLISECONDS);
  }
}
