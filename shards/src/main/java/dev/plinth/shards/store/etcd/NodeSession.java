package dev.plinth.shards.store.etcd;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/**
 * An etcd lease of this node, which its claims hang on, and until when it surely lives. Changed by
 * its keeper alone, read by all.
 *
 * <p>The monotonic clock may stand still while the machine sleeps, and etcd's does not. So where
 * the two clocks have gone apart since the last answered renewal was sent, the session's authority
 * is not to be believed before one that was sent later is answered. The wall clock only ever takes
 * authority away. One that is set back by just as much as the machine slept hides the sleep.
 */
final class NodeSession {
  private record Renewal(ClockReading sent, long expiry, long authorityUntil) {}

  private final long lease;
  private final Duration margin;
  private final AtomicReference<Renewal> suspected = new AtomicReference<>();
  private volatile Renewal last;
  private volatile boolean over;

  /**
   * @param sent when the request that got the lease was sent: etcd began to count later than that
   */
  NodeSession(long lease, Duration margin, ClockReading sent, Duration ttl) {
    this.lease = lease;
    this.margin = margin;
    last = renewal(sent, ttl);
  }

  private Renewal renewal(ClockReading sent, Duration ttl) {
    long expiry = sent.nanos() + ttl.toNanos();
    return new Renewal(sent, expiry, expiry - margin.toNanos());
  }

  /** Of answers that overtook one another, the one to the later request counts. */
  void renewed(ClockReading sent, Duration ttl) {
    if (sent.nanos() - last.sent.nanos() >= 0) {
      last = renewal(sent, ttl);
    }
  }

  /** The lease is gone, or given up: authority ends at once. */
  void end(long now) {
    over = true;
    if (last.authorityUntil - now > 0) {
      last = new Renewal(last.sent, last.expiry, now);
    }
  }

  long lease() {
    return lease;
  }

  boolean isExpired() {
    return over;
  }

  /** No other node can own what hangs on this session before then, if the clock did not stop. */
  long authorityUntil() {
    return last.authorityUntil;
  }

  boolean hasAuthority(long now) {
    return !over && last.authorityUntil - now > 0;
  }

  boolean mayHaveExpired(long now) {
    return now - last.expiry >= 0;
  }

  /**
   * Whether the machine may have slept since the last answered renewal was sent: its clocks differ
   * in what has passed. A wall clock that was set back counts too, since it would hide every sleep
   * that is shorter than that. Half of the margin is for this, the other for what the margin was
   * made for.
   */
  boolean mayHaveSlept(ClockReading now) {
    return Math.abs(now.suspendedNanos(last.sent)) > margin.toNanos() / 2;
  }

  /** True for the first who says so since the last renewal. */
  boolean suspect() {
    Renewal now = last;
    return suspected.getAndSet(now) != now;
  }
}
