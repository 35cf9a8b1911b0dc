package dev.plinth.lease.core;

import java.time.Duration;
import java.time.Instant;

/** One owner's possession of a key. */
final class Hold {
  final String ownerId;

  /** Null for a lease with a time of its own. */
  final Session session;

  final long token;
  final Duration ttl;
  final Duration lockDelay;
  final Instant acquiredAt;
  Mode mode;
  int entries = 1;

  /** Its time no longer runs. */
  boolean confirmed;

  private byte[] payload;
  private long version = 1;
  private long deadline;

  Hold(
      String ownerId,
      Session session,
      long token,
      Mode mode,
      Duration ttl,
      Duration lockDelay,
      Instant acquiredAt,
      byte[] payload) {
    this.ownerId = ownerId;
    this.session = session;
    this.token = token;
    this.mode = mode;
    this.ttl = session == null ? ttl : session.ttl;
    this.lockDelay = session == null ? lockDelay : session.lockDelay;
    this.acquiredAt = acquiredAt;
    this.payload = payload;
  }

  String sessionId() {
    return session == null ? "" : session.id;
  }

  void renew(long now) {
    deadline = now + ttl.toNanos();
  }

  long deadline() {
    return session == null ? deadline : session.deadline();
  }

  boolean isOf(Acquire wish) {
    return ownerId.equals(wish.ownerId()) && sessionId().equals(wish.sessionId());
  }

  void payload(byte[] next) {
    payload = next;
    version++;
  }

  byte[] payload() {
    return payload;
  }

  /** Of the payload. */
  long version() {
    return version;
  }

  /** As it was stored. */
  void restore(int storedEntries, long storedVersion, boolean wasConfirmed) {
    entries = storedEntries;
    version = storedVersion;
    confirmed = wasConfirmed;
  }

  /** The same possession in other hands. */
  Hold handedTo(String owner, Session to, long newToken, Instant now) {
    Hold next = new Hold(owner, to, newToken, mode, ttl, lockDelay, now, payload);
    next.restore(1, version, confirmed);
    return next;
  }

  LeaseView view(LeaseName name, long now) {
    return new LeaseView(
        name,
        ownerId,
        sessionId(),
        token,
        mode,
        ttl,
        Duration.ofNanos(Math.max(0, deadline() - now)),
        entries,
        acquiredAt,
        payload,
        version,
        confirmed);
  }
}
