package dev.plinth.lease.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Tx;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/** The open sessions of a shard, what hangs on them, and their end. */
public final class Sessions {
  private final Map<String, Session> open = new HashMap<>();
  private final LeaseNamespaces leaseNamespaces;
  private final Holds holds;
  private final LeaseEvents events;

  Sessions(LeaseNamespaces leaseNamespaces, Holds holds, LeaseEvents events) {
    this.leaseNamespaces = leaseNamespaces;
    this.holds = holds;
    this.events = events;
  }

  /** A new session, by the namespace's policy where nothing was asked for. */
  public SessionView open(
      String namespace,
      String ownerId,
      Optional<Duration> ttl,
      Optional<Duration> lockDelay,
      String secret,
      Tx tx) {
    NamespacePolicy policy = leaseNamespaces.policyOf(namespace);
    ttl.ifPresent(policy::checkTtl);
    lockDelay.ifPresent(policy::checkLockDelay);
    leaseNamespaces.find(namespace).ifPresent(LeaseNamespace::admitSession);
    Duration life = ttl.orElse(policy.ttls().byDefault());
    Duration delay = lockDelay.orElse(policy.lockDelays().byDefault());
    String id = "s-" + Long.toString(tx.token(), Character.MAX_RADIX);
    Session session = new Session(namespace, id, ownerId, life, delay, Secrets.digest(secret));
    put(session, tx);
    add(session, tx);
    return new SessionView(id, life, List.of(), 0);
  }

  private static void put(Session session, Tx tx) {
    tx.put(SessionRows.keyOf(session), SessionRows.encode(session));
  }

  /** Its full time counts from now; one that was ending has none, and ends in a step of its own. */
  void add(Session session, Tx tx) {
    open.put(key(session.namespace, session.id), session);
    leaseNamespaces.findOrMake(session.namespace).sessions++;
    events.sessions(1);
    if (session.isEnded()) {
      session.expiryTimer.runOut(tx);
      tx.at(tx.nanos(), later -> end(session, session.ending(), later));
    } else {
      session.expiryTimer.begin(tx, later -> end(session, HoldEnd.EXPIRED, later));
    }
  }

  /** Goes on with a session that is still open; its full time counts from now. */
  public SessionView resume(String namespace, String id, String ownerId, String secret, Tx tx) {
    Session session = require(namespace, id);
    if (!ownerId.isEmpty() && !ownerId.equals(session.ownerId)) {
      throw Failure.Invalid.field("owner_id", ownerId, "the session's own, or none");
    }
    if (!Secrets.match(secret, session.digest)) {
      throw new Failure.Denied(
          ErrorReason.ERROR_REASON_TOKEN_INVALID,
          "the secret is not the one of session " + id,
          Map.of("sessionId", id));
    }
    session.expiryTimer.renew(tx);
    List<LeaseView> held = views(session.holds, SessionView.MAX_HELD, tx);
    return new SessionView(id, session.expiryTimer.ttl, held, session.holds.size());
  }

  /** Its full time counts from now; of what it holds, only what an operator wants back is told. */
  public SessionView heartbeat(String namespace, String id, Tx tx) {
    Session session = require(namespace, id);
    session.expiryTimer.renew(tx);
    events.renewed(true);
    List<LeaseView> asked = views(session.asked, SessionView.MAX_ASKED, tx);
    return new SessionView(id, session.expiryTimer.ttl, asked, session.asked.size());
  }

  private static List<LeaseView> views(Collection<Hold> some, int most, Tx tx) {
    return some.stream().limit(most).map(hold -> hold.view(tx.nanos())).toList();
  }

  /** Tells the keeper of a session's dangers until it ends. */
  public void keep(String namespace, String id, HoldListener keeper, Tx tx) {
    Session session = require(namespace, id);
    session.keepers.add(keeper);
    session.expiryTimer.addListener(keeper, tx);
  }

  /** For a keeper whose call has ended before the session. */
  public void leave(String namespace, String id, HoldListener keeper) {
    Session session = find(namespace, id);
    if (session != null && session.keepers.remove(keeper)) {
      session.expiryTimer.removeListener(keeper);
    }
  }

  /** Tells how many keys it released when it is gone; none if it ended by itself. */
  public void close(String namespace, String id, BiConsumer<Integer, Tx> done, Tx tx) {
    Session session = find(namespace, id);
    if (session == null) {
      done.accept(0, tx);
      return;
    }
    session.closers.add(done);
    if (!session.isEnded()) {
      end(session, HoldEnd.by(session.ownerId, HoldEndCause.CLOSED), tx);
    }
  }

  /** Its time was found to be over before its timer came. */
  void expire(Session session, Tx tx) {
    end(session, HoldEnd.EXPIRED, tx);
  }

  /**
   * Its row goes with the last of its keys. If that takes another commit, the row says from this
   * one on that it ends: whoever takes over in between must not let it live, since others may hold
   * some of its keys already.
   */
  private void end(Session session, HoldEnd how, Tx tx) {
    session.end(how);
    holds.waitQueues.leaveAll(session, tx);
    List<Hold> doomed = session.holds.stream().filter(hold -> !hold.confirmed).toList();
    holds.endEach(
        doomed,
        how,
        tx,
        last -> {
          remove(session, last);
          session.keepers.forEach(keeper -> keeper.onEvent(new HoldEvent.Lost(how), last));
          int released = how.cause() == HoldEndCause.CLOSED ? doomed.size() : 0;
          session.closers.forEach(closer -> closer.accept(released, last));
        });
    if (find(session.namespace, session.id) == session) {
      put(session, tx);
    }
  }

  private void remove(Session session, Tx tx) {
    open.remove(key(session.namespace, session.id));
    LeaseNamespace leaseNamespace = leaseNamespaces.findOrMake(session.namespace);
    leaseNamespace.sessions--;
    leaseNamespaces.forgetIfUnused(leaseNamespace);
    tx.delete(SessionRows.keyOf(session));
    events.sessions(-1);
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

  int size() {
    return open.size();
  }

  private static String key(String namespace, String id) {
    return namespace + "/" + id;
  }
}
