package dev.plinth.client.lease;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.TokenWentBackException;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.OperationDeadline;
import dev.plinth.client.internal.session.ClientSession;
import dev.plinth.client.internal.session.NamespaceSessions;
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
      Acquisition<?, ?, H> acquisition, boolean waits, OperationDeadline operationDeadline)
      throws InterruptedException {
    while (true) {
      ClientSession clientSession = sessions.current(namespace, oneCallAtLeast(operationDeadline));
      if (clientSession.isLost()) { // before it was of any use
        if (operationDeadline.isSpent()) {
          return Optional.empty();
        }
        continue;
      }
      try {
        Optional<H> granted = send(acquisition, clientSession, waits, operationDeadline);
        if (granted.isEmpty() || !clientSession.isLost()) {
          return granted;
        }
        // Else the next session would meet this grant and take it for another's.
        acquisition.undo(granted.get());
        if (operationDeadline.isSpent()) {
          return Optional.empty();
        }
      } catch (CallFailedException e) {
        if (!e.isSessionExpired() || operationDeadline.isSpent()) {
          throw e;
        }
        clientSession.end();
      }
    }
  }

  /** The first call on a connection takes its time, which a short wait must not pay for. */
  private OperationDeadline oneCallAtLeast(OperationDeadline operationDeadline) {
    return operationDeadline.atLeast(runtime.blockingCaller().callDeadline());
  }

  private <Q, A, H> Optional<H> send(
      Acquisition<Q, A, H> acquisition,
      ClientSession clientSession,
      boolean waits,
      OperationDeadline operationDeadline)
      throws InterruptedException {
    boolean inLine = waits && !operationDeadline.isSpent();
    long highest = sessions.tokens().highest(namespace);
    Q request =
        acquisition.request(
            clientSession, inLine ? Optional.of(operationDeadline.left()) : Optional.empty());
    try {
      A answer =
          inLine
              ? runtime
                  .blockingCaller()
                  .callWithLongPoll(acquisition.method(), request, operationDeadline)
              : runtime
                  .blockingCaller()
                  .call(acquisition.method(), request, oneCallAtLeast(operationDeadline));
      Optional<H> granted = acquisition.granted(answer, clientSession);
      checkTokens(acquisition, answer, granted, highest);
      return granted;
    } catch (CallFailedException e) {
      if (e.mayHaveApplied()) {
        releaseIfGranted(acquisition, request, clientSession);
      }
      throw e;
    } catch (InterruptedException e) {
      releaseIfGranted(acquisition, request, clientSession);
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
      Acquisition<Q, A, H> acquisition, Q request, ClientSession clientSession) {
    runtime
        .backgroundCaller()
        .run(
            acquisition.method(),
            acquisition.cancellation(request),
            () -> !clientSession.isLost(),
            answer -> acquisition.granted(answer, clientSession).ifPresent(acquisition::release));
  }
}
