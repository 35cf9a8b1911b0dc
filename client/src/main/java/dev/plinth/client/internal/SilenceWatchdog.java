package dev.plinth.client.internal;

import java.time.Duration;

/**
 * Notices that a stream brings nothing although the server sends something now and then: it may be
 * dead without a word. On the event loop.
 */
public final class SilenceWatchdog {
  private final ClientRuntime runtime;
  private final Duration limit;
  private final Runnable onSilence;
  // When something came last, and since when it is waited for.
  private volatile long heardAt;
  private long waitingSince;
  private boolean stopped;

  /**
   * @param onSilence runs each time nothing came for so long
   */
  public SilenceWatchdog(ClientRuntime runtime, Duration limit, Runnable onSilence) {
    this.runtime = runtime;
    this.limit = limit;
    this.onSilence = onSilence;
    this.heardAt = runtime.nanos().getAsLong();
  }

  public void start() {
    heard();
    check();
  }

  public void heard() {
    heardAt = runtime.nanos().getAsLong();
    waitingSince = heardAt;
  }

  /** How long ago something came. On any thread. */
  public Duration silence() {
    return Duration.ofNanos(Math.max(0, runtime.nanos().getAsLong() - heardAt));
  }

  private void check() {
    if (stopped) {
      return;
    }
    long now = runtime.nanos().getAsLong();
    long left = limit.toNanos() - (now - waitingSince);
    if (left <= 0) {
      waitingSince = now;
      left = limit.toNanos();
      onSilence.run();
    }
    runtime.after(Duration.ofNanos(left), this::check);
  }

  public void stop() {
    stopped = true;
  }
}
