package dev.plinth.client.limit;

import java.time.Duration;

/** When another lease may be asked for: one request at a time, and none that is bound to fail. */
final class LeaseRequestGate {
  private static final Duration AFTER_DENIAL = Duration.ofMillis(50);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);
  private static final Duration NOT_LEASABLE_FOR = Duration.ofSeconds(10);
  private static final long NONE = -1;

  private volatile boolean inFlight;
  private volatile long notBefore;
  private volatile long notLeasable = NONE;

  LeaseRequestGate(long now) {
    this.notBefore = now;
  }

  /** A look without a lock, on the way of every payment. */
  boolean mayRequest(long now) {
    return !inFlight && now - notBefore >= 0;
  }

  /** Whether it is the caller who asks now. */
  synchronized boolean begin(long now) {
    if (!mayRequest(now)) {
      return false;
    }
    inFlight = true;
    return true;
  }

  void granted() {
    inFlight = false;
  }

  void denied(long now, Duration retryAfter) {
    pause(now, retryAfter.compareTo(AFTER_DENIAL) > 0 ? retryAfter : AFTER_DENIAL);
  }

  void failed(long now) {
    pause(now, AFTER_FAILURE);
  }

  /** Nor for a while: the policy has none, or the service cannot reach its store. */
  void notLeasable(long now, long policyVersion) {
    notLeasable = policyVersion;
    pause(now, NOT_LEASABLE_FOR);
  }

  /** A decision by another policy than the one that had no leases: worth another try. */
  void sawPolicy(long now, long version) {
    if (notLeasable != NONE && version != notLeasable) {
      notLeasable = NONE;
      notBefore = now;
    }
  }

  private void pause(long now, Duration time) {
    notBefore = now + time.toNanos();
    inFlight = false;
  }
}
