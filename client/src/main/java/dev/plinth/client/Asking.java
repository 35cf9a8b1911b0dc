package dev.plinth.client;

import dev.plinth.lease.v1.Lease;
import java.time.Duration;
import java.util.Optional;

/**
 * Takes wishes to the server until they are answered, over lost answers and lost sessions. A call
 * that got no answer, or was interrupted, may have been granted: then this finds out in the
 * background, and gives back what nobody is going to use.
 */
final class Asking {
  private final String namespace;
  private final Wiring wiring;

  Asking(String namespace, Wiring wiring) {
    this.namespace = namespace;
    this.wiring = wiring;
  }

  /**
   * @param wait zero to be answered at once
   */
  <H> Optional<H> grant(Wish<?, ?, H> wish, Duration wait) throws InterruptedException {
    Budget took = wiring.budget(Duration.ZERO);
    String outcome = "FAILED";
    try {
      boolean waits = !wait.isZero() && !wait.isNegative();
      Optional<H> granted = grant(wish, waits, waits ? wiring.budget(wait) : wiring.budget());
      outcome = granted.isPresent() ? "GRANTED" : "NOT_GRANTED";
      return granted;
    } finally {
      wiring.rhythm().events().acquired(outcome, took.overdrawn());
    }
  }

  /** A session that turns out to be lost takes the place in line with it: once more, from anew. */
  private <H> Optional<H> grant(Wish<?, ?, H> wish, boolean waits, Budget budget)
      throws InterruptedException {
    while (true) {
      Session session = wiring.sessions().current(namespace, oneCallAtLeast(budget));
      if (session.isLost()) { // before it was of any use
        if (budget.isSpent()) {
          return Optional.empty();
        }
        continue;
      }
      try {
        Optional<H> granted = ask(wish, session, waits, budget);
        if (granted.isEmpty() || !session.isLost()) {
          return granted;
        }
        // Else the next session would meet this grant and take it for another's.
        wish.undo(granted.get());
        if (budget.isSpent()) {
          return Optional.empty();
        }
      } catch (CallFailed e) {
        if (!e.isSessionExpired() || budget.isSpent()) {
          throw e;
        }
        session.end();
      }
    }
  }

  /** The first call on a connection takes its time, which a short wait must not pay for. */
  private Budget oneCallAtLeast(Budget budget) {
    return budget.atLeast(wiring.calls().callDeadline());
  }

  private <Q, A, H> Optional<H> ask(
      Wish<Q, A, H> wish, Session session, boolean waits, Budget budget)
      throws InterruptedException {
    boolean inLine = waits && !budget.isSpent();
    long highest = wiring.tokens().highest(namespace);
    Q request = wish.request(session, inLine ? Optional.of(budget.left()) : Optional.empty());
    try {
      A answer =
          inLine
              ? wiring.calls().callInTurns(wish.method(), request, budget)
              : wiring.calls().call(wish.method(), request, oneCallAtLeast(budget));
      Optional<H> granted = wish.granted(answer, session);
      checkTokens(wish, answer, granted, highest);
      return granted;
    } catch (CallFailed e) {
      if (e.mayHaveApplied()) {
        giveBackIfGranted(wish, request, session);
      }
      throw e;
    } catch (InterruptedException e) {
      giveBackIfGranted(wish, request, session);
      throw e;
    }
  }

  /** What has a token that was given out before is given back, not used. */
  private <A, H> void checkTokens(Wish<?, A, H> wish, A answer, Optional<H> granted, long highest) {
    for (Lease lease : wish.fresh(answer)) {
      if (lease.getToken() <= highest) {
        granted.ifPresent(wish::giveBack);
        wiring.rhythm().events().tokenWentBack();
        throw new TokenWentBack(namespace, lease.getKey(), lease.getToken(), highest);
      }
      wiring.tokens().seen(namespace, lease.getToken());
    }
  }

  /**
   * Cancels the request, so that it leaves the line if it waits there; the answer tells if it was
   * granted before.
   */
  private <Q, A, H> void giveBackIfGranted(Wish<Q, A, H> wish, Q request, Session session) {
    wiring
        .errands()
        .run(
            wish.method(),
            wish.cancellation(request),
            () -> !session.isLost(),
            answer -> wish.granted(answer, session).ifPresent(wish::giveBack));
  }
}
