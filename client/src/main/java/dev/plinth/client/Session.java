package dev.plinth.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;

/**
 * A session at the server, kept alive until it is ended or lost. Its state is that of all leases
 * that hang on it. The loss is told by the client's own clock; no call has to succeed or fail for
 * it.
 */
final class Session {
  private static final Duration LONGEST_BEAT = Duration.ofSeconds(2);

  private record Listener(Object holder, LeaseState on, Runnable task) {}

  private final String id;
  private final Tenure tenure;
  private final Heart heart;
  private final Rhythm rhythm;
  private final LongSupplier nanos;
  private final List<Listener> listeners = new ArrayList<>();
  private LeaseState announced = LeaseState.SAFE;
  private int failures;

  Session(String id, Tenure tenure, Heart heart, Rhythm rhythm) {
    this.id = id;
    this.tenure = tenure;
    this.heart = heart;
    this.rhythm = rhythm;
    this.nanos = rhythm.nanos();
  }

  void start() {
    rhythm.thread().after(tenure.interval(), this::beat);
    rhythm.thread().execute(this::watch);
  }

  String id() {
    return id;
  }

  LeaseState state() {
    return tenure.state(nanos.getAsLong());
  }

  boolean isLost() {
    return state() == LeaseState.LOST;
  }

  Duration remaining() {
    return tenure.remaining(nanos.getAsLong());
  }

  /**
   * No beat follows, and holders are told: here first, so that they stop before the server acts.
   */
  void end() {
    tenure.end();
    announce();
  }

  /** Runs the task at each change into the state, and now if it is there already. */
  void listen(Object holder, LeaseState on, Runnable task) {
    synchronized (listeners) {
      if (announced == on) {
        rhythm.callbacks().execute(task);
      }
      listeners.add(new Listener(holder, on, task));
    }
  }

  void forget(Object holder) {
    synchronized (listeners) {
      listeners.removeIf(listener -> listener.holder == holder);
    }
  }

  private void beat() {
    if (isLost()) {
      return;
    }
    long sentAt = nanos.getAsLong();
    heart
        .beat(Wire.shorter(LONGEST_BEAT, tenure.interval()))
        .whenComplete(
            (ttl, thrown) -> rhythm.thread().execute(() -> answered(sentAt, ttl, thrown)));
  }

  private void answered(long sentAt, Duration ttl, Throwable thrown) {
    if (thrown == null) {
      failures = 0;
      tenure.renewed(sentAt, ttl, nanos.getAsLong());
      Duration taken = Duration.ofNanos(nanos.getAsLong() - sentAt);
      rhythm.thread().after(tenure.interval().minus(taken), this::beat);
    } else if (isExpired(thrown)) {
      tenure.end();
    } else {
      tenure.missed();
      rhythm.thread().after(rhythm.rule().jittered(failures++, tenure.interval()), this::beat);
    }
    announce();
  }

  private static boolean isExpired(Throwable thrown) {
    Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
    return ErrorDetails.SESSION_EXPIRED.equals(ErrorDetails.reason(cause));
  }

  private void watch() {
    announce();
    if (!isLost()) {
      rhythm.thread().after(tenure.untilNextEdge(nanos.getAsLong()), this::watch);
    }
  }

  private void announce() {
    synchronized (listeners) {
      LeaseState state = state();
      if (state == announced) {
        return;
      }
      announced = state;
      listeners.stream()
          .filter(listener -> listener.on == state)
          .forEach(listener -> rhythm.callbacks().execute(listener.task));
    }
  }
}
