package dev.plinth.lease.core;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;

/** A client's sign of life and all that hangs on it. */
final class Session {
  final String namespace;
  final String id;
  final String ownerId;
  final Duration ttl;
  final Duration lockDelay;
  final Set<LeaseKey> keys = new LinkedHashSet<>();
  final Set<Waiter> waits = new LinkedHashSet<>();
  private long deadline;
  private boolean ended;

  Session(String namespace, String id, String ownerId, Duration ttl, Duration lockDelay) {
    this.namespace = namespace;
    this.id = id;
    this.ownerId = ownerId;
    this.ttl = ttl;
    this.lockDelay = lockDelay;
  }

  void renew(long now) {
    deadline = now + ttl.toNanos();
  }

  long deadline() {
    return deadline;
  }

  void end() {
    ended = true;
  }

  boolean isEnded() {
    return ended;
  }
}
