package dev.plinth.client;

import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The leases of one namespace. Each handle is an owner of its own, so two threads of one client
 * exclude each other as two clients do; {@link AcquireOptions#reentrant} is for those who want
 * otherwise.
 *
 * <p>A call that got no answer, or was interrupted, may have been granted at the server. The client
 * finds out in the background, and gives back what nobody is going to use.
 */
public final class Leases {
  private final String namespace;
  private final Wiring wiring;
  private final AtomicLong handles;

  Leases(String namespace, Wiring wiring, AtomicLong handles) {
    this.namespace = namespace;
    this.wiring = wiring;
    this.handles = handles;
  }

  /**
   * Takes the key if nobody holds it.
   *
   * @throws CallFailed if the server refused the request or did not answer
   */
  public Optional<LeaseHandle> tryAcquire(String key) throws InterruptedException {
    return tryAcquire(key, AcquireOptions.usual());
  }

  public Optional<LeaseHandle> tryAcquire(String key, AcquireOptions options)
      throws InterruptedException {
    return acquire(wish(key, options), wiring.budget());
  }

  /**
   * Takes the key, waiting in line for it if need be; empty if the wait, at most 1 h, ran out.
   *
   * @throws CallFailed if the server refused the request or did not answer
   */
  public Optional<LeaseHandle> acquire(String key, Duration wait) throws InterruptedException {
    return acquire(key, wait, AcquireOptions.usual());
  }

  public Optional<LeaseHandle> acquire(String key, Duration wait, AcquireOptions options)
      throws InterruptedException {
    if (wait.isZero() || wait.isNegative()) {
      return tryAcquire(key, options);
    }
    AcquireRequest wish = wish(key, options).toBuilder().setWait(Wire.duration(wait)).build();
    return acquire(wish, wiring.budget(wait));
  }

  private AcquireRequest wish(String key, AcquireOptions options) {
    String owner = wiring.owner();
    return options
        .request()
        .setNamespace(namespace)
        .setKey(key)
        .setOwnerId(options.isReentrant() ? owner : owner + "/" + handles.incrementAndGet())
        .build();
  }

  /** A session that turns out to be lost takes the place in line with it: once more, from anew. */
  private Optional<LeaseHandle> acquire(AcquireRequest wish, Budget budget)
      throws InterruptedException {
    while (true) {
      Session session = wiring.sessions().current(namespace, oneCallAtLeast(budget));
      try {
        Optional<LeaseHandle> handle = ask(request(wish, session, budget), session, budget);
        if (handle.isEmpty() || !session.isLost() || budget.isSpent()) {
          return handle.filter(h -> !session.isLost());
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

  private static AcquireRequest request(AcquireRequest wish, Session session, Budget budget) {
    AcquireRequest.Builder request =
        wish.toBuilder().setSessionId(session.id()).setRequestId(Wire.newRequestId());
    if (!wish.hasWait() || budget.isSpent()) {
      return request.clearWait().build();
    }
    return request.setWait(Wire.duration(budget.left())).build();
  }

  private Optional<LeaseHandle> ask(AcquireRequest request, Session session, Budget budget)
      throws InterruptedException {
    try {
      AcquireResponse answer =
          request.hasWait()
              ? wiring.calls().callInTurns(LeaseServiceGrpc.getAcquireMethod(), request, budget)
              : wiring
                  .calls()
                  .call(LeaseServiceGrpc.getAcquireMethod(), request, oneCallAtLeast(budget));
      return handle(answer, session, request);
    } catch (CallFailed e) {
      if (e.mayHaveApplied()) {
        giveBackIfGranted(request, session);
      }
      throw e;
    } catch (InterruptedException e) {
      giveBackIfGranted(request, session);
      throw e;
    }
  }

  /** The same request again tells how it ended: the server keeps one answer per request id. */
  private void giveBackIfGranted(AcquireRequest request, Session session) {
    wiring
        .errands()
        .run(
            LeaseServiceGrpc.getAcquireMethod(),
            request,
            () -> !session.isLost(),
            answer -> handle(answer, session, request).ifPresent(LeaseHandle::closeLater));
  }

  private Optional<LeaseHandle> handle(
      AcquireResponse answer, Session session, AcquireRequest request) {
    return switch (answer.getOutcome()) {
      case OUTCOME_GRANTED, OUTCOME_REENTERED ->
          Optional.of(
              new LeaseHandle(
                  answer.getLease(), session, new Releases(wiring, session, reentrant(request))));
      default -> Optional.empty();
    };
  }

  private boolean reentrant(AcquireRequest request) {
    return request.getOwnerId().equals(wiring.owner());
  }
}
