package dev.plinth.lease.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.TreeMap;

/** A namespace: its rules, its keys, and how much there is of all that the rules limit. */
final class Space {
  private static final Duration LATER = Duration.ofSeconds(1);

  final String name;
  final TreeMap<String, LeaseKey> keys = new TreeMap<>();
  int leases;
  int sessions;
  int waiters;
  private Policy policy = Policy.PLATFORM;
  private long policyVersion;
  private final Rate acquires = new Rate();

  Space(String name) {
    this.name = name;
  }

  Policy policy() {
    return policy;
  }

  /** 0 before one was set. */
  long policyVersion() {
    return policyVersion;
  }

  void policy(Policy next, long version) {
    policy = next;
    policyVersion = version;
  }

  SpaceView view() {
    return new SpaceView(policy, policyVersion, leases, sessions, waiters);
  }

  /** Counts a wish against the rate. */
  void admitWish(long now) {
    int perSecond = policy.maxAcquiresPerSecond();
    long wait = perSecond == Integer.MAX_VALUE ? 0 : acquires.take(perSecond, now);
    if (wait > 0) {
      throw new Failure.Exhausted(
          ErrorReason.ERROR_REASON_RATE_EXCEEDED,
          "acquires of namespace " + name,
          "more than " + perSecond + " acquires a second in namespace " + name,
          Duration.ofNanos(wait));
    }
  }

  void admitLeases(int more) {
    admit("leases", leases + more, policy.maxLeases());
  }

  void admitSession() {
    admit("sessions", sessions + 1, policy.maxSessions());
  }

  void admitWaiter() {
    admit("waiters", waiters + 1, policy.maxWaiters());
  }

  private void admit(String what, int wouldBe, int most) {
    if (wouldBe > most) {
      throw new Failure.Exhausted(
          ErrorReason.ERROR_REASON_QUOTA_EXCEEDED,
          what + " of namespace " + name,
          "namespace " + name + " may have no more than " + most + " " + what,
          LATER);
    }
  }
}
