package dev.plinth.lease.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Tx;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** The open sessions of a shard, and their end by time. */
final class Sessions {
  /** Told when a session's time ran out. */
  interface Expiry {
    void expired(Session session, Tx tx);
  }

  private final Map<String, Session> open = new HashMap<>();
  private final LeaseNamespaces leaseNamespaces;
  private final LeaseEvents events;
  private final Expiry expiry;

  Sessions(LeaseNamespaces leaseNamespaces, LeaseEvents events, Expiry expiry) {
    this.leaseNamespaces = leaseNamespaces;
    this.events = events;
    this.expiry = expiry;
  }

  Session open(
      String namespace, String ownerId, Duration ttl, Duration lockDelay, String digest, Tx tx) {
    String id = "s-" + Long.toString(tx.token(), Character.MAX_RADIX);
    Session session = new Session(namespace, id, ownerId, ttl, lockDelay, digest);
    tx.put(SessionRows.keyOf(session), SessionRows.encode(session));
    add(session, tx);
    return session;
  }

  /** Its full time counts from now. */
  void add(Session session, Tx tx) {
    open.put(key(session.namespace, session.id), session);
    leaseNamespaces.findOrMake(session.namespace).sessions++;
    events.sessions(1);
    session.expiryTimer.begin(tx, later -> expiry.expired(session, later));
  }

  /** Null if it is not open. */
  Session find(String namespace, String id) {
    return open.get(key(namespace, id));
  }

  Session require(String namespace, String id) {
    Session session = find(namespace, id);
    if (session == null || session.isEnded()) {
      throw notOpen(id);
    }
    return session;
  }

  static Failure notOpen(String id) {
    return new Failure.Forbidden(
        ErrorReason.ERROR_REASON_SESSION_EXPIRED,
        "session " + id,
        "session " + id + " is not open: it ended, or never was",
        Map.of("sessionId", id));
  }

  void remove(Session session, Tx tx) {
    open.remove(key(session.namespace, session.id));
    LeaseNamespace leaseNamespace = leaseNamespaces.findOrMake(session.namespace);
    leaseNamespace.sessions--;
    leaseNamespaces.forgetIfUnused(leaseNamespace);
    tx.delete(SessionRows.keyOf(session));
    events.sessions(-1);
  }

  int size() {
    return open.size();
  }

  private static String key(String namespace, String id) {
    return namespace + "/" + id;
  }
}
