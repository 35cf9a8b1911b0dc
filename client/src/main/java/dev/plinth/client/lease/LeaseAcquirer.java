package dev.plinth.client.lease;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.TokenWentBackException;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.OperationDeadline;
import dev.plinth.client.internal.session.ClientSession;
import dev.plinth.client.internal.session.LeaseReleaser;
import dev.plinth.client.internal.session.LocalLease;
import dev.plinth.client.internal.session.NamespaceSessions;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.v1.Lease;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Acquires keys, over lost answers and lost sessions. A call that got no answer, or was
 * interrupted, may have been granted: then this finds out in the background, and releases what
 * nobody is going to use.
 *
 * @param reentrant whether others in this client may enter what is acquired
 */
record LeaseAcquirer(
    String namespace, ClientRuntime runtime, NamespaceSessions sessions, boolean reentrant) {
  /**
   * What was granted; empty if nothing.
   *
   * @param wait zero to be answered at once
   */
  List<LeaseHandle> acquire(Acquisition<?, ?> acquisition, Duration wait)
      throws InterruptedException {
    OperationDeadline took = runtime.deadline(Duration.ZERO);
    String outcome = "FAILED";
    try {
      boolean waits = !wait.isZero() && !wait.isNegative();
      List<LocalLease> granted =
          acquire(acquisition, waits, waits ? runtime.deadline(wait) : runtime.deadline());
      outcome = granted.isEmpty() ? "NOT_GRANTED" : "GRANTED";
      return granted.stream().map(LeaseHandle::new).toList();
    } finally {
      runtime.environment().events().acquired(outcome, took.overdrawn());
    }
  }

  /** A session that turns out to be lost takes the queue position with it: again, in a new one. */
  private List<LocalLease> acquire(
      Acquisition<?, ?> acquisition, boolean waits, OperationDeadline deadline)
      throws InterruptedException {
    while (true) {
      ClientSession session = sessions.current(namespace, oneCallAtLeast(deadline));
      try {
        if (!session.isLost()) { // before it was of any use
          List<LocalLease> granted = send(acquisition, session, waits, deadline);
          if (granted.isEmpty() || !session.isLost()) {
            return granted;
          }
          // Else the next session would meet this grant and take it for another's.
          granted.forEach(LocalLease::undo);
        }
        if (deadline.isSpent()) {
          return List.of();
        }
      } catch (CallFailedException e) {
        if (e.reason() != ErrorReason.ERROR_REASON_SESSION_EXPIRED || deadline.isSpent()) {
          throw e;
        }
        session.end();
      }
    }
  }

  /** The first call on a connection takes its time, which a short wait must not pay for. */
  private OperationDeadline oneCallAtLeast(OperationDeadline deadline) {
    return deadline.atLeast(runtime.callDeadline());
  }

  private <Q, A> List<LocalLease> send(
      Acquisition<Q, A> acquisition,
      ClientSession session,
      boolean waits,
      OperationDeadline deadline)
      throws InterruptedException {
    boolean queues = waits && !deadline.isSpent();
    long highest = sessions.tokens().highest(namespace);
    Q request = acquisition.request().apply(session.id());
    AtomicInteger attempts = new AtomicInteger();
    boolean settled = false;
    try {
      A answer =
          queues
              ? runtime
                  .blockingCaller()
                  .callWithLongPoll(
                      acquisition.method(),
                      left -> {
                        attempts.incrementAndGet();
                        return acquisition.waiting().apply(request, left);
                      },
                      deadline)
              : runtime
                  .blockingCaller()
                  .callWithRequests(
                      acquisition.method(),
                      () -> {
                        attempts.incrementAndGet();
                        return request;
                      },
                      oneCallAtLeast(deadline));
      settled = true;
      List<LocalLease> granted = granted(acquisition, answer, session);
      // A refusal says nothing of an earlier attempt that may still be under way.
      settled = !granted.isEmpty() || attempts.get() == 1;
      checkTokens(acquisition.fresh().apply(answer), granted, highest);
      return granted;
    } catch (CallFailedException e) {
      settled = !e.mayHaveApplied();
      throw e;
    } finally {
      if (!settled) {
        releaseIfGranted(acquisition, request, session);
      }
    }
  }

  private <A> List<LocalLease> granted(
      Acquisition<?, A> acquisition, A answer, ClientSession session) {
    LeaseReleaser releaser = new LeaseReleaser(runtime, session, reentrant);
    return acquisition.granted().apply(answer).stream()
        .map(lease -> LocalLease.on(session, lease, releaser))
        .toList();
  }

  /** What has a token that was given out before is released, not used. */
  private void checkTokens(List<Lease> fresh, List<LocalLease> granted, long highest) {
    for (Lease lease : fresh) {
      if (lease.getToken() <= highest) {
        granted.forEach(LocalLease::closeLater);
        runtime.environment().events().tokenWentBack();
        throw new TokenWentBackException(namespace, lease.getKey(), lease.getToken(), highest);
      }
      sessions.tokens().seen(namespace, lease.getToken());
    }
  }

  /**
   * Cancels the request, so that it leaves the queue if it waits there; the answer tells if it was
   * granted before.
   */
  private <Q, A> void releaseIfGranted(
      Acquisition<Q, A> acquisition, Q request, ClientSession session) {
    runtime.sendInBackground(
        acquisition.method(),
        acquisition.cancellation().apply(request),
        () -> !session.isLost(),
        answer -> granted(acquisition, answer, session).forEach(LocalLease::closeLater));
  }
}
