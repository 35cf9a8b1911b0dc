package dev.plinth.lease.core;

import dev.plinth.shards.Tx;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** One owner's possession of a key. */
final class Hold {
  final LeaseName name;
  final LeaseOwner leaseOwner;

  /** Null for a lease with a time of its own. */
  final Session session;

  final long token;
  final Duration lockDelay;
  final Instant acquiredAt;

  /** What it takes of a semaphore; 0 in other modes. */
  final int weight;

  /** Those who listen until it ends, by their calls. */
  private Map<Object, HoldListener> listeners = Map.of();

  LeaseMode leaseMode;
  int entries = 1;

  /** Which leader it is, in an election; else 0. */
  long term;

  /** Its time no longer runs. */
  boolean confirmed;

  /** Null unless an operator wants it back. */
  ReleaseNotice releaseNotice;

  /** Ends it when the notice is over; null without one. */
  Tx.Timer releaseTimer;

  private final ExpiryTimer own;
  private byte[] payload;
  private long version = 1;

  Hold(
      KeyRequest keyRequest,
      LeaseOwner leaseOwner,
      Session session,
      long token,
      Duration ttl,
      Duration lockDelay,
      Instant acquiredAt,
      byte[] payload) {
    this.name = keyRequest.name();
    this.leaseMode = keyRequest.leaseMode();
    this.weight = keyRequest.weight();
    this.leaseOwner = leaseOwner;
    this.session = session;
    this.token = token;
    this.own = session == null ? new ExpiryTimer(ttl) : null;
    this.lockDelay = session == null ? lockDelay : session.lockDelay;
    this.acquiredAt = acquiredAt;
    this.payload = payload;
  }

  /** Its own time or its session's. */
  ExpiryTimer life() {
    return session == null ? own : session.expiryTimer;
  }

  /** Its time is over, or its session's end has begun, though its own may still be under way. */
  boolean hasRunOut(long now) {
    return !confirmed && (isOfEndedSession() || life().left(now).isZero());
  }

  private boolean isOfEndedSession() {
    return session != null && session.isEnded();
  }

  /** Whether a renewal that comes now still finds it: its end is not decided. */
  boolean canBeRenewed() {
    return confirmed || !isOfEndedSession();
  }

  Map<Object, HoldListener> listeners() {
    return listeners;
  }

  void addListener(Object callId, HoldListener holdListener) {
    if (listeners.isEmpty()) {
      listeners = new LinkedHashMap<>();
    }
    listeners.put(callId, holdListener);
  }

  boolean isOf(LeaseOwner other) {
    return leaseOwner.equals(other);
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
  Hold transferredTo(LeaseOwner to, Session toSession, long newToken, Instant now) {
    KeyRequest keyRequest = new KeyRequest(name, leaseMode, weight);
    Hold next = new Hold(keyRequest, to, toSession, newToken, life().ttl, lockDelay, now, payload);
    next.restore(1, version, confirmed, 0);
    return next;
  }

  HoldId id() {
    return new HoldId(name, leaseOwner, token, leaseMode, term);
  }

  LeaseView view(long now) {
    return new LeaseView(
        id(),
        weight,
        entries,
        acquiredAt,
        new LeaseView.Validity(life().ttl, life().left(now), confirmed),
        new LeaseView.Payload(payload, version),
        Optional.ofNullable(releaseNotice).map(a -> a.view(now)));
  }
}
