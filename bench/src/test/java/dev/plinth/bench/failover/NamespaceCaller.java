package dev.plinth.bench.failover;

import com.google.protobuf.util.Durations;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceBlockingStub;
import dev.plinth.lease.v1.ReleaseRequest;
import dev.plinth.lease.v1.ReleaseResponse;
import dev.plinth.lease.v1.RenewItem;
import dev.plinth.lease.v1.RenewRequest;
import dev.plinth.lease.v1.RenewResult;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * Acquires, renews and releases one key of one namespace, again and again. Calls go round all
 * nodes; an attempt that fails is sent again with the same request id. Every answer is checked:
 * whatever happens to the nodes, a grant has a higher token than the last, and what is held is
 * renewed and released.
 */
final class NamespaceCaller implements Runnable {
  private static final Duration ATTEMPT = Duration.ofSeconds(2);
  private static final Duration GIVE_UP = Duration.ofSeconds(20);
  private static final Duration BETWEEN_ATTEMPTS = Duration.ofMillis(10);
  private static final Duration BETWEEN_CALLS = Duration.ofMillis(20);

  private final PlinthNodes nodes;
  private final String namespace;
  private final Outage outage;
  private long lastToken;

  NamespaceCaller(PlinthNodes nodes, int number, Outage outage) {
    this.nodes = nodes;
    this.namespace = namespace(number);
    this.outage = outage;
  }

  static String namespace(int number) {
    return "failover" + number;
  }

  @Override
  public void run() {
    try {
      while (!outage.over()) {
        cycle();
      }
    } catch (CallFailed e) {
      // Counted; what it would have held is unknown, so it ends.
    } catch (RuntimeException e) {
      outage.violated(e);
    }
  }

  private void cycle() {
    AcquireRequest acquire =
        AcquireRequest.newBuilder()
            .setNamespace(namespace)
            .setKey("key")
            .setOwnerId("caller")
            .setTtl(Durations.fromMinutes(2))
            .setRequestId(UUID.randomUUID().toString())
            .build();
    AcquireResponse granted = call(leases -> leases.acquire(acquire));
    long token = granted.getLease().getToken();
    check(
        granted.getOutcome() == AcquireResponse.Outcome.OUTCOME_GRANTED && token > lastToken,
        granted);
    lastToken = token;
    RenewItem item = RenewItem.newBuilder().setKey("key").setToken(token).build();
    RenewRequest renew = RenewRequest.newBuilder().setNamespace(namespace).addItems(item).build();
    RenewResult renewed = call(leases -> leases.renew(renew)).getResults(0);
    check(renewed.getState() == RenewResult.State.STATE_RENEWED, renewed);
    ReleaseRequest release =
        ReleaseRequest.newBuilder()
            .setNamespace(namespace)
            .setKey("key")
            .setToken(token)
            .setRequestId(UUID.randomUUID().toString())
            .build();
    ReleaseResponse released = call(leases -> leases.release(release));
    check(released.getOutcome() == ReleaseResponse.Outcome.OUTCOME_RELEASED, released);
  }

  private void check(boolean holds, Object answer) {
    if (!holds) {
      throw new IllegalStateException(namespace + " after token " + lastToken + ": " + answer);
    }
  }

  private <R> R call(Function<LeaseServiceBlockingStub, R> call) {
    LockSupport.parkNanos(BETWEEN_CALLS.toNanos());
    long start = System.nanoTime();
    while (true) {
      try {
        R answer =
            call.apply(
                LeaseServiceGrpc.newBlockingStub(nodes.all())
                    .withDeadlineAfter(ATTEMPT.toMillis(), TimeUnit.MILLISECONDS));
        outage.answered(namespace, start, System.nanoTime());
        return answer;
      } catch (StatusRuntimeException e) {
        outage.attemptFailed(e.getStatus().getCode().name());
        if (System.nanoTime() - start > GIVE_UP.toNanos()) {
          outage.callFailed(namespace);
          throw new CallFailed(e);
        }
        LockSupport.parkNanos(BETWEEN_ATTEMPTS.toNanos());
      }
    }
  }

  /** No attempt was answered in time. */
  private static final class CallFailed extends RuntimeException {
    private static final long serialVersionUID = 1;

    CallFailed(StatusRuntimeException cause) {
      super(cause);
    }
  }
}
