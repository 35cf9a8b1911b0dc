package dev.plinth.ratelimit.core;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Whether the store is asked. After so many flushes in a row that failed or were late it is left
 * alone for a while; then one check at a time tries it, each time after a longer while, until one
 * is answered in time.
 */
final class Breaker {
  /** How a check goes on. */
  enum Pass {
    /** With the others. */
    GO,
    /** Alone, to see whether the store answers. */
    PROBE,
    STAY
  }

  /**
   * @param failures in a row, while closed
   * @param until when the store is tried again, while open
   * @param backoff nanoseconds of this time
   */
  private record State(LimitEvents.Breaker kind, int failures, long until, long backoff) {}

  private final int breakAfter;
  private final long maxBackoff;
  private final LimitEvents events;
  private final State closed;
  private final AtomicReference<State> state;

  Breaker(Tuning tuning, LimitEvents events) {
    this.breakAfter = tuning.breakAfter();
    this.maxBackoff = tuning.maxBackoff().toNanos();
    this.events = events;
    Duration first = tuning.backoff();
    this.closed = new State(LimitEvents.Breaker.CLOSED, 0, 0, first.toNanos());
    this.state = new AtomicReference<>(closed);
  }

  boolean isClosed() {
    return state.get().kind == LimitEvents.Breaker.CLOSED;
  }

  Pass pass(long now) {
    State s = state.get();
    if (s.kind == LimitEvents.Breaker.CLOSED) {
      return Pass.GO;
    }
    boolean tried =
        s.kind == LimitEvents.Breaker.OPEN
            && now - s.until >= 0
            && move(s, new State(LimitEvents.Breaker.HALF_OPEN, 0, 0, s.backoff));
    return tried ? Pass.PROBE : Pass.STAY;
  }

  /** A flush was answered in time. */
  void succeeded() {
    State s = state.get();
    if (s.kind == LimitEvents.Breaker.CLOSED && s.failures > 0) {
      state.compareAndSet(s, closed);
    }
  }

  /** A flush failed, or was not answered in time. */
  void failed(long now) {
    for (State s = state.get(); s.kind == LimitEvents.Breaker.CLOSED; s = state.get()) {
      boolean enough = s.failures + 1 >= breakAfter;
      if (enough
          ? move(s, open(now, s.backoff))
          : state.compareAndSet(s, new State(s.kind, s.failures + 1, 0, s.backoff))) {
        return;
      }
    }
  }

  void probeSucceeded() {
    move(state.get(), closed);
  }

  void probeFailed(long now) {
    State s = state.get();
    move(s, open(now, Math.min(maxBackoff, s.backoff * 2)));
  }

  /** Microseconds until the store is tried again; 0 while it is asked. */
  long retryIn(long now) {
    State s = state.get();
    return s.kind == LimitEvents.Breaker.OPEN
        ? Math.max(0, TimeUnit.NANOSECONDS.toMicros(s.until - now))
        : 0;
  }

  private static State open(long now, long backoff) {
    return new State(LimitEvents.Breaker.OPEN, 0, now + backoff, backoff);
  }

  private boolean move(State from, State to) {
    if (!state.compareAndSet(from, to)) {
      return false;
    }
    events.breaker(to.kind);
    return true;
  }
}
