package dev.plinth.client.internal.session;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.ReleaseRequest;
import dev.plinth.lease.v1.ReleaseResponse;
import dev.plinth.lease.v1.ReleaseResponse.Outcome;

/**
 * Gives a lease back, if not at once then in the background: heartbeats continue for the session's
 * other leases, so one that was not given back would be held for as long as the client lives.
 *
 * @param reentrant whether others in this client may have entered the lease too; else it is this
 *     one's alone
 */
public record LeaseReleaser(ClientRuntime runtime, ClientSession session, boolean reentrant) {
  public void now(Lease lease) {
    if (session.isLost()) {
      return; // the server ends it by itself, and the lock-delay is meant for this
    }
    ReleaseRequest request = request(lease);
    try {
      ReleaseResponse answer =
          runtime
              .blockingCaller()
              .call(LeaseServiceGrpc.getReleaseMethod(), request, runtime.deadline());
      retry(lease, answer);
    } catch (CallFailedException e) {
      send(lease, request);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      send(lease, request);
    }
  }

  /** Once, whatever became of the session: if it does not arrive, the server's own time ends it. */
  public void unused(Lease lease) {
    try {
      runtime
          .blockingCaller()
          .call(LeaseServiceGrpc.getReleaseMethod(), request(lease), runtime.deadline());
    } catch (CallFailedException e) {
      // Nobody works under it, so nothing is at stake but a ttl.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public void later(Lease lease) {
    send(lease, request(lease));
  }

  private void send(Lease lease, ReleaseRequest request) {
    runtime.sendInBackground(
        LeaseServiceGrpc.getReleaseMethod(),
        request,
        () -> !session.isLost(),
        answer -> retry(lease, answer));
  }

  /**
   * A request to acquire that was retried after the server had forgotten its answer counts as
   * entered twice, and so does a candidacy whose first stream died unnoticed; the handle is one all
   * the same.
   */
  private void retry(Lease lease, ReleaseResponse answer) {
    if (!reentrant && answer.getOutcome() == Outcome.OUTCOME_STILL_HELD) {
      later(lease);
    }
  }

  private ReleaseRequest request(Lease lease) {
    return ReleaseRequest.newBuilder()
        .setNamespace(lease.getNamespace())
        .setKey(lease.getKey())
        .setToken(lease.getToken())
        .setRequestId(runtime.newRequestId())
        .build();
  }
}
