package dev.plinth.ratelimit.pipeline;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Whether requests go to the store. After so many flushes in a row that failed or were late the
 * circuit opens. Then one check at a time probes the store, each time after a longer backoff, until
 * one is answered in time.
 */
final class StoreCircuitBreaker {
  /** Whether a request may be sent. */
  enum Permit {
    /** With the other requests. */
    SEND,
    /** By itself, to see whether the store answers. */
    PROBE,
    SKIP
  }

  /**
   * @param failures in a row, while closed
   * @param until when the store is tried again, while open
   * @param backoff nanoseconds of this time
   */
  private record State(LimitEvents.CircuitState kind, int failures, long until, long backoff) {}

  private final int breakAfter;
  private final long maxBackoff;
  private final LimitEvents events;
  private final State closed;
  private final AtomicReference<State> state;

  StoreCircuitBreaker(PipelineOptions tuning, LimitEvents events) {
    this.breakAfter = tuning.breakAfter();
    this.maxBackoff = tuning.maxBackoff().toNanos();
    this.events = events;
    Duration first = tuning.backoff();
    this.closed = new State(LimitEvents.CircuitState.CLOSED, 0, 0, first.toNanos());
    this.state = new AtomicReference<>(closed);
  }

  boolean isClosed() {
    return state.get().kind == LimitEvents.CircuitState.CLOSED;
  }

  Permit permit(long now) {
    State s = state.get();
    if (s.kind == LimitEvents.CircuitState.CLOSED) {
      return Permit.SEND;
    }
    boolean probing =
        s.kind == LimitEvents.CircuitState.OPEN
            && now - s.until >= 0
            && move(s, new State(LimitEvents.CircuitState.HALF_OPEN, 0, 0, s.backoff));
    return probing ? Permit.PROBE : Permit.SKIP;
  }

  /** A flush was answered in time. */
  void succeeded() {
    State s = state.get();
    if (s.kind == LimitEvents.CircuitState.CLOSED && s.failures > 0) {
      state.compareAndSet(s, closed);
    }
  }

  /** A flush failed, or was not answered in time. */
  void failed(long now) {
    for (State s = state.get(); s.kind == LimitEvents.CircuitState.CLOSED; s = state.get()) {
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

  /** Microseconds until the next probe; 0 unless the circuit is open. */
  long retryIn(long now) {
    State s = state.get();
    return s.kind == LimitEvents.CircuitState.OPEN
        ? Math.max(0, TimeUnit.NANOSECONDS.toMicros(s.until - now))
        : 0;
  }

  private static State open(long now, long backoff) {
    return new State(LimitEvents.CircuitState.OPEN, 0, now + backoff, backoff);
  }

  private boolean move(State from, State to) {
    if (!state.compareAndSet(from, to)) {
      return false;
    }
    events.breaker(to.kind);
    return true;
  }
}
