package dev.plinth.lease.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Reply;
import dev.plinth.shards.Tx;
import dev.plinth.shards.store.Row;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The leases of one shard. Every method is one decision; it runs alone.
 *
 * <p>A key goes from holder to holder without ever being free for a moment in which a newcomer
 * could slip in: the commit that ends one hold grants it to the first in line. Deadlines are in
 * memory; a holder that renews costs no write. A timer that finds its deadline moved sets itself
 * again, and one that does not ends the hold, with a commit, before anybody else can have the key.
 */
public final class Leases {
  private static final int MOST_WAITERS = 10_000;
  // How long a caller whose call broke off keeps its place for a second try.
  static final Duration PATIENCE = Duration.ofSeconds(2);

  private final InstantSource clock;
  private final LeaseEvents events;
  private final Map<String, TreeMap<String, LeaseKey>> namespaces = new HashMap<>();
  private final Map<String, Session> sessions = new HashMap<>();
  private long places;

  Leases(InstantSource clock, LeaseEvents events) {
    this.clock = clock;
    this.events = events;
  }

  /**
   * After a change of owner everything gets its full time again: renewals since were not stored.
   */
  void load(List<Row> rows, Tx tx) {
    for (Row row : rows) {
      if (row.key().startsWith(LeaseRows.SESSIONS)) {
        Session session = LeaseRows.session(row.key(), row.value());
        sessions.put(sessionKey(session.namespace, session.id), session);
        keepWatch(session, tx);
        events.sessions(1);
      }
    }
    for (Row row : rows) {
      if (row.key().startsWith(LeaseRows.KEYS)) {
        load(LeaseRows.key(row.key(), row.value(), this::session), tx);
      }
    }
  }

  private void load(LeaseKey key, Tx tx) {
    keys(key.name.namespace()).put(key.name.key(), key);
    key.holds.forEach(hold -> keepWatch(key, hold, tx));
    events.held(key.holds.size());
    if (!key.lostDelay.isZero()) {
      key.bar(key.lostOwner, key.lostDelay, tx.nanos());
      liftLater(key, tx);
    }
  }

  /** Takes back what the gauges were told. */
  void uncount() {
    events.sessions(-sessions.size());
    for (TreeMap<String, LeaseKey> keys : namespaces.values()) {
      keys.values().forEach(key -> events.held(-key.holds.size()));
      keys.values().forEach(key -> events.waiting(-key.line.size()));
    }
  }

  // ---- sessions

  public String openSession(
      String namespace, String ownerId, Duration ttl, Duration lockDelay, Tx tx) {
    String id = "s-" + Long.toString(tx.token(), Character.MAX_RADIX);
    Session session = new Session(namespace, id, ownerId, ttl, lockDelay);
    sessions.put(sessionKey(namespace, id), session);
    tx.put(LeaseRows.keyOf(session), LeaseRows.encode(session));
    keepWatch(session, tx);
    events.sessions(1);
    return id;
  }

  /** The session's ttl, counted anew from now. */
  public Duration heartbeat(String namespace, String id, Tx tx) {
    Session session = openSession(namespace, id);
    session.renew(tx.nanos());
    events.renewed(true);
    return session.ttl;
  }

  /** How many keys it released. */
  public int closeSession(String namespace, String id, Tx tx) {
    Session session = sessions.get(sessionKey(namespace, id));
    return session == null ? 0 : end(session, "CLOSED", tx);
  }

  private Session openSession(String namespace, String id) {
    Session session = sessions.get(sessionKey(namespace, id));
    if (session == null) {
      throw sessionEnded(id);
    }
    return session;
  }

  private static Failure sessionEnded(String id) {
    return new Failure.Forbidden(
        ErrorReason.ERROR_REASON_SESSION_EXPIRED,
        "session " + id,
        "session " + id + " is not open: it ended, or never was",
        Map.of("sessionId", id));
  }

  private void keepWatch(Session session, Tx tx) {
    session.renew(tx.nanos());
    tx.at(session.deadline(), later -> endIfDue(session, later));
  }

  private void endIfDue(Session session, Tx tx) {
    if (session.isEnded()) {
      return;
    }
    if (session.deadline() - tx.nanos() > 0) {
      tx.at(session.deadline(), later -> endIfDue(session, later));
    } else {
      end(session, "EXPIRED", tx);
    }
  }

  private int end(Session session, String cause, Tx tx) {
    session.end();
    sessions.remove(sessionKey(session.namespace, session.id));
    tx.delete(LeaseRows.keyOf(session));
    events.sessions(-1);
    for (Waiter waiter : List.copyOf(session.waits)) {
      leaveLine(waiter);
      waiter.reply.fail(tx, sessionEnded(session.id));
    }
    List<LeaseKey> held = List.copyOf(session.keys);
    for (LeaseKey key : held) {
      key.holds.stream()
          .filter(hold -> hold.session == session)
          .toList()
          .forEach(hold -> end(key, hold, cause, tx));
    }
    return held.size();
  }

  // ---- keys

  public void acquire(Acquire wish, Tx tx, Reply<Acquired> reply) {
    Session session =
        wish.hasSession() ? openSession(wish.name().namespace(), wish.sessionId()) : null;
    LeaseKey key = keys(wish.name().namespace()).get(wish.name().key());
    if (key == null) {
      key = new LeaseKey(wish.name());
      keys(wish.name().namespace()).put(wish.name().key(), key);
    }
    Optional<Hold> own = key.holdOf(wish);
    if (own.isPresent()) {
      reply.send(tx, reenter(key, own.get(), wish, tx));
    } else if (key.line.isEmpty() && isOpenTo(key, wish, tx)) {
      reply.send(tx, new Acquired.Granted(grant(key, wish, session, 0, tx)));
    } else if (wish.patience().isZero()) {
      reply.send(tx, refuse(key, wish, tx));
    } else {
      queue(key, new Waiter(wish, session, reply, tx.nanos(), places++), tx);
    }
  }

  private static boolean isOpenTo(LeaseKey key, Acquire wish, Tx tx) {
    return key.admits(wish.mode()) && !key.bars(wish.ownerId(), tx.nanos());
  }

  /**
   * Wider than before only if nobody else holds it: two who both waited for that would wait for
   * ever.
   */
  private Acquired reenter(LeaseKey key, Hold own, Acquire wish, Tx tx) {
    boolean wider = own.mode == Mode.SHARED && wish.mode() == Mode.EXCLUSIVE;
    if (wider && key.holds.size() > 1) {
      events.acquired("HELD", 0);
      return new Acquired.Held(key.views(tx.nanos()));
    }
    own.mode = wider ? Mode.EXCLUSIVE : own.mode;
    own.entries++;
    own.renew(tx.nanos());
    save(key, tx);
    events.acquired("REENTERED", 0);
    return new Acquired.Reentered(own.view(key.name, tx.nanos()));
  }

  private LeaseView grant(LeaseKey key, Acquire wish, Session session, long waited, Tx tx) {
    Hold hold =
        new Hold(
            wish.ownerId(),
            session,
            tx.token(),
            wish.mode(),
            wish.ttl(),
            wish.lockDelay(),
            clock.instant(),
            wish.payload());
    key.unbar();
    key.holds.add(hold);
    keepWatch(key, hold, tx);
    save(key, tx);
    events.acquired("GRANTED", waited);
    events.held(1);
    return hold.view(key.name, tx.nanos());
  }

  private Acquired refuse(LeaseKey key, Acquire wish, Tx tx) {
    Acquired answer;
    if (key.holds.isEmpty() && key.bars(wish.ownerId(), tx.nanos())) {
      events.acquired("DELAYED", 0);
      answer = new Acquired.Delayed(Duration.ofNanos(key.barredUntil - tx.nanos()));
    } else {
      events.acquired("HELD", 0);
      answer = new Acquired.Held(key.views(tx.nanos()));
    }
    forgetIfUnused(key);
    return answer;
  }

  private void queue(LeaseKey key, Waiter waiter, Tx tx) {
    if (key.line.size() >= MOST_WAITERS) {
      throw new Failure.Exhausted(
          ErrorReason.ERROR_REASON_QUEUE_FULL,
          "key " + key.name.key(),
          MOST_WAITERS + " wait for " + key.name.key() + " already",
          Duration.ofSeconds(1));
    }
    key.line.add(waiter);
    if (waiter.session != null) {
      waiter.session.waits.add(waiter);
    }
    events.waiting(1);
    waiter.timeout =
        tx.at(tx.nanos() + waiter.wish.patience().toNanos(), later -> timeOut(key, waiter, later));
    promote(key, tx);
  }

  private void timeOut(LeaseKey key, Waiter waiter, Tx tx) {
    if (leaveLine(waiter)) {
      events.acquired("TIMED_OUT", tx.nanos() - waiter.since);
      waiter.reply.send(tx, new Acquired.TimedOut(key.views(tx.nanos())));
      promote(key, tx); // it may have stood before others who go with the holders
      forgetIfUnused(key);
    }
  }

  /**
   * For a caller whose call has ended. One that may come back with its request id keeps its place
   * for a moment, but is passed over meanwhile.
   */
  public void abandon(LeaseName name, Tx tx) {
    LeaseKey key = keys(name.namespace()).get(name.key());
    if (key == null) {
      return;
    }
    for (Waiter waiter : List.copyOf(key.line)) {
      if (waiter.isAbandoned() && waiter.wish.patient()) {
        tx.at(tx.nanos() + PATIENCE.toNanos(), later -> dropIfAbandoned(key, waiter, later));
      } else {
        dropIfAbandoned(key, waiter, tx);
      }
    }
    promote(key, tx);
    forgetIfUnused(key);
  }

  private void dropIfAbandoned(LeaseKey key, Waiter waiter, Tx tx) {
    if (waiter.isAbandoned() && leaveLine(waiter)) {
      waiter.reply.fail(
          tx,
          new Failure.Unavailable(
              ErrorReason.ERROR_REASON_CALL_ENDED, "the caller went away", PATIENCE, Map.of()));
      promote(key, tx);
      forgetIfUnused(key);
    }
  }

  /** Lets in whoever is first in line, and those behind who go with it. */
  private void promote(LeaseKey key, Tx tx) {
    for (Waiter waiter : List.copyOf(key.line)) {
      if (waiter.isAbandoned()) {
        continue;
      }
      if (!isOpenTo(key, waiter.wish, tx)) {
        return;
      }
      leaveLine(waiter);
      long waited = tx.nanos() - waiter.since;
      LeaseView lease = grant(key, waiter.wish, waiter.session, waited, tx);
      waiter.reply.send(tx, new Acquired.Granted(lease));
    }
  }

  private boolean leaveLine(Waiter waiter) {
    LeaseKey key = keys(waiter.wish.name().namespace()).get(waiter.wish.name().key());
    if (key == null || !key.line.remove(waiter)) {
      return false;
    }
    waiter.timeout.cancel();
    if (waiter.session != null) {
      waiter.session.waits.remove(waiter);
    }
    events.waiting(-1);
    return true;
  }

  /** The ttl that counts from now, or empty if the key is not held under this token. */
  public Optional<Duration> renew(LeaseName name, long token, Tx tx) {
    Optional<Hold> hold = find(name).flatMap(key -> key.hold(token));
    hold.ifPresent(h -> h.renew(tx.nanos()));
    events.renewed(hold.isPresent());
    return hold.map(h -> h.ttl);
  }

  public Released release(LeaseName name, long token, Tx tx) {
    LeaseKey key = find(name).orElse(null);
    Hold hold = key == null ? null : key.hold(token).orElse(null);
    if (hold == null) {
      return Released.NOT_HELD;
    }
    if (hold.entries > 1) {
      hold.entries--;
      save(key, tx);
      return Released.STILL_HELD;
    }
    end(key, hold, "RELEASED", tx);
    return Released.RELEASED;
  }

  private void keepWatch(LeaseKey key, Hold hold, Tx tx) {
    if (hold.session != null) {
      hold.session.keys.add(key);
      return;
    }
    hold.renew(tx.nanos());
    tx.at(hold.deadline(), later -> endIfDue(key, hold, later));
  }

  private void endIfDue(LeaseKey key, Hold hold, Tx tx) {
    if (!key.holds.contains(hold)) {
      return;
    }
    if (hold.deadline() - tx.nanos() > 0) {
      tx.at(hold.deadline(), later -> endIfDue(key, hold, later));
    } else {
      end(key, hold, "EXPIRED", tx);
    }
  }

  private void end(LeaseKey key, Hold hold, String cause, Tx tx) {
    key.holds.remove(hold);
    if (hold.session != null && key.holds.stream().noneMatch(h -> h.session == hold.session)) {
      hold.session.keys.remove(key);
    }
    // A holder that was lost may still be writing somewhere; one that let go is not.
    if (cause.equals("EXPIRED") && !hold.lockDelay.isZero()) {
      key.bar(hold.ownerId, hold.lockDelay, tx.nanos());
      liftLater(key, tx);
    }
    events.held(-1);
    events.ended(cause, Duration.between(hold.acquiredAt, clock.instant()).toNanos());
    promote(key, tx);
    save(key, tx);
    forgetIfUnused(key);
  }

  private void liftLater(LeaseKey key, Tx tx) {
    tx.at(
        key.barredUntil,
        later -> {
          if (!key.lostDelay.isZero() && !key.isBarred(later.nanos())) {
            key.unbar();
            promote(key, later);
            save(key, later);
            forgetIfUnused(key);
          }
        });
  }

  // ---- questions

  /** The hold under this token, if the key is held under it now. */
  public Optional<LeaseView> validate(LeaseName name, long token, Tx tx) {
    Optional<LeaseView> valid =
        find(name).flatMap(key -> key.hold(token)).map(hold -> hold.view(name, tx.nanos()));
    if (valid.isEmpty()) {
      events.stale();
    }
    return valid;
  }

  public KeyView get(LeaseName name, Tx tx) {
    return find(name).map(key -> view(key, tx.nanos())).orElse(KeyView.FREE);
  }

  /** Keys in order, from after one on; at most so many. */
  public List<LeaseView> list(String namespace, String prefix, String after, Tx tx) {
    return keys(namespace)
        .tailMap(
            after.compareTo(prefix) > 0 ? after : prefix,
            after.isEmpty() || after.compareTo(prefix) < 0)
        .entrySet()
        .stream()
        .takeWhile(entry -> entry.getKey().startsWith(prefix))
        .flatMap(entry -> entry.getValue().views(tx.nanos()).stream())
        .toList();
  }

  private KeyView view(LeaseKey key, long now) {
    return new KeyView(
        key.views(now),
        key.line.stream()
            .map(w -> new KeyView.InLine(w.wish, Duration.ofNanos(now - w.since)))
            .toList(),
        Duration.ofNanos(key.isBarred(now) ? key.barredUntil - now : 0));
  }

  // ---- rows

  private void save(LeaseKey key, Tx tx) {
    if (!key.isFree()) {
      tx.put(LeaseRows.keyOf(key.name), LeaseRows.encode(key));
      key.stored = true;
    } else if (key.stored) {
      tx.delete(LeaseRows.keyOf(key.name));
      key.stored = false;
    }
  }

  private void forgetIfUnused(LeaseKey key) {
    if (key.isFree() && key.line.isEmpty()) {
      keys(key.name.namespace()).remove(key.name.key(), key);
    }
  }

  private Optional<LeaseKey> find(LeaseName name) {
    return Optional.ofNullable(keys(name.namespace()).get(name.key()));
  }

  private TreeMap<String, LeaseKey> keys(String namespace) {
    return namespaces.computeIfAbsent(namespace, n -> new TreeMap<>());
  }

  private Session session(String namespace, String id) {
    return sessions.get(sessionKey(namespace, id));
  }

  private static String sessionKey(String namespace, String id) {
    return namespace + "/" + id;
  }
}
