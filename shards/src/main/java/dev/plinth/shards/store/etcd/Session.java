package dev.plinth.shards.store.etcd;

import java.time.Duration;

/**
 * An etcd lease of this node, which its claims hang on, and until when it surely lives. Changed by
 * its keeper alone, read by all.
 */
final class Session {
  private final long lease;
  private final Duration margin;
  private volatile long expiry;
  private volatile long authorityUntil;
  private volatile boolean over;

  /**
   * @param sent when the request that got the lease was sent: etcd began to count later than that
   */
  Session(long lease, Duration margin, long sent, Duration ttl) {
    this.lease = lease;
    this.margin = margin;
    renewed(sent, ttl);
  }

  void renewed(long sent, Duration ttl) {
    expiry = sent + ttl.toNanos();
    authorityUntil = expiry - margin.toNanos();
  }

  /** The lease is gone, or given up: authority ends at once. */
  void end(long now) {
    over = true;
    if (authorityUntil - now > 0) {
      authorityUntil = now;
    }
  }

  long lease() {
    return lease;
  }

  boolean isOver() {
    return over;
  }

  /** No other node can own what hangs on this session before then. */
  long authorityUntil() {
    return authorityUntil;
  }

  boolean hasAuthority(long now) {
    return !over && authorityUntil - now > 0;
  }

  boolean mayHaveExpired(long now) {
    return now - expiry >= 0;
  }
}
