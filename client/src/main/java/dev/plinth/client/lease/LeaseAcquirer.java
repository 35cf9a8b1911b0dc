package dev.plinth.client.lease;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.TokenWentBackException;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.OperationDeadline;
import dev.plinth.client.internal.session.ClientSession;
import dev.plinth.client.internal.session.NamespaceSessions;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.v1.Lease;
import java.time.Duration;
import java.util.Optional;

/**
 * Takes wishes to the server until they are answered, over lost answers and lost sessions. A call
 * that got no answer, or was interrupted, may have been granted: then this finds out in the
 * background, and gives back what nobody is going to use.
 */
final class LeaseAcquirer {
  private final String namespace;
  private final ClientRuntime runtime;
  private final NamespaceSessions sessions;

  LeaseAcquirer(String namespace, ClientRuntime runtime, NamespaceSessions sessions) {
    this.namespace = namespace;
    this.runtime = runtime;
    this.sessions = sessions;
  }

  /**
   * @param wait zero to be answered at once
   */
  <H> Optional<H> grant(Acquisition<?, ?, H> acquisition, Duration wait)
      throws InterruptedException {
    OperationDeadline took = runtime.deadline(Duration.ZERO);
    String outcome = "FAILED";
    try {
      boolean waits = !wait.isZero() && !wait.isNegative();
      Optional<H> granted =
          grant(acquisition, waits, waits ? runtime.deadline(wait) : runtime.deadline());
      outcome = granted.isPresent() ? "GRANTED" : "NOT_GRANTED";
      return granted;
    } finally {
      runtime.environment().events().acquired(outcome, took.overdrawn());
    }
  }

  /** A session that turns out to be lost takes the place in line with it: once more, from anew. */
  private <H> Optional<H> grant(
      Acquisition<?, ?, H> acquisition, boolean waits, OperationDeadline deadline)
      throws InterruptedException {
    while (true) {
      ClientSession session = sessions.current(namespace, oneCallAtLeast(deadline));
      if (session.isLost()) { // before it was of any use
        if (deadline.isSpent()) {
          return Optional.empty();
        }
        continue;
      }
      try {
        Optional<H> granted = send(acquisition, session, waits, deadline);
        if (granted.isEmpty() || !session.isLost()) {
          return granted;
        }
        // Else the next session would meet this grant and take it for another's.
        acquisition.undo(granted.get());
        if (deadline.isSpent()) {
          return Optional.empty();
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
    return deadline.atLeast(runtime.blockingCaller().callDeadline());
  }

  private <Q, A, H> Optional<H> send(
      Acquisition<Q, A, H> acquisition,
      ClientSession session,
      boolean waits,
      OperationDeadline deadline)
      throws InterruptedException {
    boolean inLine = waits && !deadline.isSpent();
    long highest = sessions.tokens().highest(namespace);
    Q request =
        acquisition.request(session, inLine ? Optional.of(deadline.left()) : Optional.empty());
    try {
      A answer =
          inLine
              ? runtime.blockingCaller().callWithLongPoll(acquisition.method(), request, deadline)
              : runtime
                  .blockingCaller()
                  .call(acquisition.method(), request, oneCallAtLeast(deadline));
      Optional<H> granted = acquisition.granted(answer, session);
      checkTokens(acquisition, answer, granted, highest);
      return granted;
    } catch (CallFailedException e) {
      if (e.mayHaveApplied()) {
        releaseIfGranted(acquisition, request, session);
      }
      throw e;
    } catch (InterruptedException e) {
      releaseIfGranted(acquisition, request, session);
      throw e;
    }
  }

  /** What has a token that was given out before is given back, not used. */
  private <A, H> void checkTokens(
      Acquisition<?, A, H> acquisition, A answer, Optional<H> granted, long highest) {
    for (Lease lease : acquisition.fresh(answer)) {
      if (lease.getToken() <= highest) {
        granted.ifPresent(acquisition::release);
        runtime.environment().events().tokenWentBack();
        throw new TokenWentBackException(namespace, lease.getKey(), lease.getToken(), highest);
      }
      sessions.tokens().seen(namespace, lease.getToken());
    }
  }

  /**
   * Cancels the request, so that it leaves the line if it waits there; the answer tells if it was
   * granted before.
   */
  private <Q, A, H> void releaseIfGranted(
      Acquisition<Q, A, H> acquisition, Q request, ClientSession session) {
    runtime.sendInBackground(
        acquisition.method(),
        acquisition.cancellation(request),
        () -> !session.isLost(),
        answer -> acquisition.granted(answer, session).ifPresent(acquisition::release));
  }
}
