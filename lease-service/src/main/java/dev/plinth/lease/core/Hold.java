package dev.plinth.lease.core;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** One owner's possession of a key. */
final class Hold {
  final LeaseName name;
  final Party party;

  /** Null for a lease with a time of its own. */
  final Session session;

  final long token;
  final Duration lockDelay;
  final Instant acquiredAt;

  /** What it takes of a semaphore; 0 in other modes. */
  final int weight;

  /** Those who listen until it ends, by their calls. */
  private Map<Object, Follower> followers = Map.of();

  Mode mode;
  int entries = 1;

  /** Which leader it is, in an election; else 0. */
  long term;

  /** Its time no longer runs. */
  boolean confirmed;

  /** Null unless an operator wants it back. */
  Ask ask;

  private final Life own;
  private byte[] payload;
  private long version = 1;

  Hold(
      Want want,
      Party party,
      Session session,
      long token,
      Duration ttl,
      Duration lockDelay,
      Instant acquiredAt,
      byte[] payload) {
    this.name = want.name();
    this.mode = want.mode();
    this.weight = want.weight();
    this.party = party;
    this.session = session;
    this.token = token;
    this.own = session == null ? new Life(ttl) : null;
    this.lockDelay = session == null ? lockDelay : session.lockDelay;
    this.acquiredAt = acquiredAt;
    this.payload = payload;
  }

  /** Its own time or its session's. */
  Life life() {
    return session == null ? own : session.life;
  }

  /** Its time is over, though its end may still be under way. */
  boolean hasRunOut(long now) {
    return !confirmed && life().left(now).isZero();
  }

  Map<Object, Follower> followers() {
    return followers;
  }

  void follow(Object callId, Follower follower) {
    if (followers.isEmpty()) {
      followers = new LinkedHashMap<>();
    }
    followers.put(callId, follower);
  }

  boolean isOf(Party other) {
    return party.equals(other);
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
  void restore(int storedEntries, long storedVersion, boolean wasConfirmed, long storedTerm) {
    entries = storedEntries;
    version = storedVersion;
    confirmed = wasConfirmed;
    term = storedTerm;
  }

  /** The same possession in other hands. */
  Hold handedTo(Party to, Session toSession, long newToken, Instant now) {
    Want want = new Want(name, mode, weight);
    Hold next = new Hold(want, to, toSession, newToken, life().ttl, lockDelay, now, payload);
    next.restore(1, version, confirmed, 0);
    return next;
  }

  LeaseView view(long now) {
    return new LeaseView(
        name,
        party.ownerId(),
        party.sessionId(),
        token,
        mode,
        weight,
        life().ttl,
        life().left(now),
        entries,
        acquiredAt,
        payload,
        version,
        confirmed,
        term,
        Optional.ofNullable(ask).map(a -> a.view(now)));
  }
}
