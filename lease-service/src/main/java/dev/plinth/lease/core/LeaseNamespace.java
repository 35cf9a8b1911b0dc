package dev.plinth.lease.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Throttle;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** A namespace: its rules, its keys, and how much there is of all that the rules limit. */
final class LeaseNamespace {
  private static final Duration LATER = Duration.ofSeconds(1);
  // What the waiters of a namespace may take in memory: their payloads may be 4 KiB each.
  static final int MAX_WAITING_MIB = 64;

  final String name;
  final TreeMap<String, LeaseKey> keys = new TreeMap<>();
  int leases;

  /** Keys that nobody holds and a lock-delay bars. */
  int barred;

  int sessions;
  private final Map<Object, Waiter> waiters = new LinkedHashMap<>();
  private long waitingBytes;
  private NamespacePolicy namespacePolicy = NamespacePolicy.PLATFORM;
  private long policyVersion;
  private final Throttle acquires;

  LeaseNamespace(String name) {
    this.name = name;
    this.acquires = new Throttle("acquires", name);
  }

  NamespacePolicy policy() {
    return namespacePolicy;
  }

  /** 0 before one was set. */
  long policyVersion() {
    return policyVersion;
  }

  void policy(NamespacePolicy next, long version) {
    namespacePolicy = next;
    policyVersion = version;
  }

  LeaseNamespaceView view() {
    return new LeaseNamespaceView(
        namespacePolicy, policyVersion, leases + barred, sessions, waiters.size(), 0, 0);
  }

  /** Counts a request against the rate. */
  void admitAcquire(long now) {
    int perSecond = namespacePolicy.most(Quota.ACQUIRES_PER_SECOND);
    if (perSecond < Quota.ACQUIRES_PER_SECOND.most()) {
      acquires.take(1, perSecond, now);
    }
  }

  void admitLeases(int more) {
    admit("leases", leases + barred + more, namespacePolicy.most(Quota.LEASES));
  }

  void admitSession() {
    admit("sessions", sessions + 1, namespacePolicy.most(Quota.SESSIONS));
  }

  /** Refuses one more waiter, of a party that has so many already, where there is no room. */
  void admitWaiter(Waiter waiter, int ofItsOwner) {
    admit("waiters", waiters.size() + 1, namespacePolicy.most(Quota.WAITERS));
    admit("waiters of one owner", ofItsOwner + 1, namespacePolicy.most(Quota.WAITERS_PER_OWNER));
    admit("MiB of waiters", (int) (waitingBytes + waiter.spec.bytes() >> 20) + 1, MAX_WAITING_MIB);
  }

  void admitElections(int there, int more) {
    if (more > 0) {
      admit("elections", there + more, namespacePolicy.most(Quota.ELECTIONS));
    }
  }

  void enter(Waiter waiter) {
    waiters.put(waiter.spec.callId(), waiter);
    waitingBytes += waiter.spec.bytes();
  }

  void leave(Waiter waiter) {
    waiters.remove(waiter.spec.callId(), waiter);
    waitingBytes -= waiter.spec.bytes();
  }

  /** The one that a call waits as; null if it does not stand in line. */
  Waiter waiter(Object callId) {
    return waiters.get(callId);
  }

  Collection<Waiter> waiters() {
    return waiters.values();
  }

  /** Nothing is left that it would be missed for: nothing held, awaited, open or set. */
  boolean isUnused() {
    return keys.isEmpty() && waiters.isEmpty() && sessions == 0 && policyVersion == 0;
  }

  private void admit(String what, int wouldBe, int most) {
    admit(what, name, wouldBe, most);
  }

  static void admit(String what, String namespace, int wouldBe, int most) {
    if (wouldBe > most) {
      throw new Failure.Exhausted(
          ErrorReason.ERROR_REASON_QUOTA_EXCEEDED,
          what + " of namespace " + namespace,
          "namespace " + namespace + " may have no more than " + most + " " + what,
          LATER);
    }
  }
}
