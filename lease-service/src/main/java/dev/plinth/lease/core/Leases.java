package dev.plinth.lease.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Event;
import dev.plinth.shards.Reply;
import dev.plinth.shards.Tx;
import dev.plinth.shards.store.Row;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The leases of one shard. Every method is one decision; it runs alone.
 *
 * <p>A key goes from holder to holder without ever being free for a moment in which a newcomer
 * could slip in: the commit that ends one hold grants it to the first in line. Deadlines are in
 * memory; a holder that renews costs no write. A timer that finds its deadline moved sets itself
 * again, and one that does not ends the hold, with a commit, before anybody else can have the key.
 */
public final class Leases {
  private final InstantSource clock;
  private final LeaseEvents events;
  private final KeyTable keys = new KeyTable();
  private final Lines lines;
  private final Sessions sessions;
  private final Fences fences = new Fences();
  private long places;

  Leases(InstantSource clock, LeaseEvents events) {
    this.clock = clock;
    this.events = events;
    this.lines = new Lines(keys, events, this::grant);
    this.sessions = new Sessions(events, (session, tx) -> end(session, Ending.EXPIRED, tx));
  }

  /**
   * After a change of owner everything gets its full time again: renewals since were not stored.
   */
  void load(List<Row> rows, Tx tx) {
    for (Row row : rows) {
      if (row.key().startsWith(LeaseRows.SESSIONS)) {
        sessions.add(LeaseRows.session(row.key(), row.value()), tx);
      } else if (row.key().startsWith(LeaseRows.FENCES)) {
        fences.load(row.key(), row.value());
      }
    }
    for (Row row : rows) {
      if (row.key().startsWith(LeaseRows.KEYS)) {
        load(LeaseRows.key(row.key(), row.value(), sessions::find), tx);
      }
    }
  }

  private void load(LeaseKey key, Tx tx) {
    keys.add(key);
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
    keys.forEach(key -> events.held(-key.holds.size()));
    keys.forEach(key -> events.waiting(-key.line.size()));
  }

  /** The new session's id. */
  public String openSession(
      String namespace, String ownerId, Duration ttl, Duration lockDelay, Tx tx) {
    return sessions.open(namespace, ownerId, ttl, lockDelay, tx).id;
  }

  /** The session's ttl, counted anew from now. */
  public Duration heartbeat(String namespace, String id, Tx tx) {
    Session session = sessions.require(namespace, id);
    session.renew(tx.nanos());
    events.renewed(true);
    return session.ttl;
  }

  /** How many keys it released; none if it had ended already. */
  public int closeSession(String namespace, String id, Tx tx) {
    Session session = sessions.find(namespace, id);
    return session == null ? 0 : end(session, Ending.CLOSED, tx);
  }

  private int end(Session session, Ending ending, Tx tx) {
    sessions.remove(session, tx);
    lines.leaveAll(session, tx);
    List<LeaseKey> held = List.copyOf(session.keys);
    for (LeaseKey key : held) {
      key.holds.stream()
          .filter(hold -> hold.session == session && !hold.confirmed)
          .toList()
          .forEach(hold -> end(key, hold, ending, tx));
    }
    return held.size();
  }

  public void acquire(Acquire wish, Tx tx, Reply<Acquired> reply) {
    Session session =
        wish.hasSession() ? sessions.require(wish.name().namespace(), wish.sessionId()) : null;
    LeaseKey key = keys.findOrMake(wish.name());
    Optional<Hold> own = key.holdOf(wish);
    if (own.isPresent()) {
      reply.send(tx, reenter(key, own.get(), wish, tx));
    } else if (key.line.isEmpty() && key.isOpenTo(wish, tx.nanos())) {
      reply.send(tx, new Acquired.Granted(grant(key, wish, session, 0, tx)));
    } else if (wish.patience().isZero()) {
      reply.send(tx, refuse(key, wish, tx));
    } else {
      lines.join(key, new Waiter(wish, session, reply, tx.nanos(), places++), tx);
    }
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
    keys.save(key, tx);
    tell(LeaseChange.Type.CHANGED, key, own, tx);
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
    events.acquired("GRANTED", waited);
    return take(key, hold, tx);
  }

  private LeaseView take(LeaseKey key, Hold hold, Tx tx) {
    key.unbar();
    key.holds.add(hold);
    keepWatch(key, hold, tx);
    keys.save(key, tx);
    tell(LeaseChange.Type.GRANTED, key, hold, tx);
    events.held(1);
    return hold.view(key.name, tx.nanos());
  }

  private Acquired refuse(LeaseKey key, Acquire wish, Tx tx) {
    keys.forgetIfUnused(key);
    if (key.holds.isEmpty() && key.bars(wish.ownerId(), tx.nanos())) {
      events.acquired("DELAYED", 0);
      return new Acquired.Delayed(Duration.ofNanos(key.barredUntil - tx.nanos()));
    }
    events.acquired("HELD", 0);
    return new Acquired.Held(key.views(tx.nanos()));
  }

  /** For a caller whose call has ended. */
  public void abandon(LeaseName name, Tx tx) {
    keys.find(name).ifPresent(key -> lines.abandon(key, tx));
  }

  /** The ttl that counts from now, or empty if the key is not held under this token. */
  public Optional<Duration> renew(LeaseName name, long token, Tx tx) {
    Optional<Hold> hold = keys.find(name).flatMap(key -> key.hold(token));
    hold.ifPresent(h -> h.renew(tx.nanos()));
    events.renewed(hold.isPresent());
    return hold.map(h -> h.ttl);
  }

  public Released release(LeaseName name, long token, Tx tx) {
    LeaseKey key = keys.find(name).orElse(null);
    Hold hold = key == null ? null : key.hold(token).orElse(null);
    if (hold == null) {
      return Released.NOT_HELD;
    }
    if (hold.entries > 1) {
      hold.entries--;
      keys.save(key, tx);
      tell(LeaseChange.Type.CHANGED, key, hold, tx);
      return Released.STILL_HELD;
    }
    end(key, hold, Ending.RELEASED, tx);
    return Released.RELEASED;
  }

  /**
   * Gives a hold to another owner, past the line, under a new token: the old one is stale at once.
   */
  public Optional<LeaseView> transfer(
      LeaseName name, long token, String toOwner, String toSession, Tx tx) {
    Session session = toSession.isEmpty() ? null : sessions.require(name.namespace(), toSession);
    LeaseKey key = keys.find(name).orElse(null);
    Hold old = key == null ? null : key.hold(token).orElse(null);
    if (old == null) {
      events.stale();
      return Optional.empty();
    }
    leaveHands(key, old, Ending.RELEASED, tx);
    Hold next = old.handedTo(toOwner, session, tx.token(), clock.instant());
    return Optional.of(take(key, next, tx));
  }

  /** Makes a hold last until it is released, if it has not run out: a hold becomes a booking. */
  public Optional<LeaseView> confirm(LeaseName name, long token, Optional<byte[]> payload, Tx tx) {
    return change(
        name,
        token,
        hold -> {
          hold.confirmed = true;
          payload.ifPresent(hold::payload);
        },
        tx);
  }

  /** Replaces what is kept with a hold; the version of the payload rises by one. */
  public Optional<LeaseView> updatePayload(
      LeaseName name, long token, Optional<Long> expectedVersion, byte[] payload, Tx tx) {
    keys.find(name)
        .flatMap(key -> key.hold(token))
        .filter(hold -> expectedVersion.isPresent() && expectedVersion.get() != hold.version())
        .ifPresent(
            hold -> {
              throw new Failure.Conflict(
                  ErrorReason.ERROR_REASON_REVISION_CONFLICT,
                  "payload version is "
                      + hold.version()
                      + " (expected: "
                      + expectedVersion.get()
                      + ")",
                  Map.of(
                      "current", String.valueOf(hold.version()),
                      "expected", String.valueOf(expectedVersion.get())));
            });
    return change(name, token, hold -> hold.payload(payload), tx);
  }

  private Optional<LeaseView> change(LeaseName name, long token, Consumer<Hold> change, Tx tx) {
    LeaseKey key = keys.find(name).orElse(null);
    Hold hold = key == null ? null : key.hold(token).orElse(null);
    if (hold == null) {
      events.stale();
      return Optional.empty();
    }
    change.accept(hold);
    keys.save(key, tx);
    tell(LeaseChange.Type.CHANGED, key, hold, tx);
    return Optional.of(hold.view(name, tx.nanos()));
  }

  /** Ends holds over their holders' heads: the one under the token, or all if none is given. */
  public List<LeaseView> forceRelease(LeaseName name, Optional<Long> token, Tx tx) {
    LeaseKey key = keys.find(name).orElse(null);
    if (key == null) {
      return List.of();
    }
    List<Hold> doomed =
        key.holds.stream().filter(h -> token.isEmpty() || token.get() == h.token).toList();
    List<LeaseView> views = doomed.stream().map(h -> h.view(name, tx.nanos())).toList();
    doomed.forEach(hold -> end(key, hold, Ending.FORCED, tx));
    return views;
  }

  /** The floor afterwards; a token below it was not accepted. */
  public long raiseFence(LeaseName resource, long token, Tx tx) {
    long floor = fences.raise(resource, token, tx);
    if (floor > token) {
      events.stale();
    }
    return floor;
  }

  public long fence(LeaseName resource) {
    return fences.floor(resource);
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
    if (!key.holds.contains(hold) || hold.confirmed) {
      return;
    }
    if (hold.deadline() - tx.nanos() > 0) {
      tx.at(hold.deadline(), later -> endIfDue(key, hold, later));
    } else {
      end(key, hold, Ending.EXPIRED, tx);
    }
  }

  private void end(LeaseKey key, Hold hold, Ending ending, Tx tx) {
    leaveHands(key, hold, ending, tx);
    // A holder that was lost may still be writing somewhere; one that let go is not.
    if (ending.isUnclean() && !hold.lockDelay.isZero()) {
      key.bar(hold.ownerId, hold.lockDelay, tx.nanos());
      liftLater(key, tx);
    }
    lines.promote(key, tx);
    keys.save(key, tx);
  }

  private void leaveHands(LeaseKey key, Hold hold, Ending ending, Tx tx) {
    key.holds.remove(hold);
    if (hold.session != null && key.holds.stream().noneMatch(h -> h.session == hold.session)) {
      hold.session.keys.remove(key);
    }
    tell(LeaseChange.Type.of(ending), key, hold, tx);
    events.held(-1);
    events.ended(ending.name(), Duration.between(hold.acquiredAt, clock.instant()).toNanos());
  }

  private static void tell(LeaseChange.Type type, LeaseKey key, Hold hold, Tx tx) {
    LeaseChange change = new LeaseChange(type, hold.view(key.name, tx.nanos()));
    tx.emit(new Event(key.name.namespace() + "/" + key.name.key(), change));
  }

  private void liftLater(LeaseKey key, Tx tx) {
    tx.at(
        key.barredUntil,
        later -> {
          if (!key.lostDelay.isZero() && !key.isBarred(later.nanos())) {
            key.unbar();
            lines.promote(key, later);
            keys.save(key, later);
          }
        });
  }

  /** The hold under this token, if the key is held under it now. */
  public Optional<LeaseView> validate(LeaseName name, long token, Tx tx) {
    Optional<LeaseView> valid =
        keys.find(name).flatMap(key -> key.hold(token)).map(hold -> hold.view(name, tx.nanos()));
    if (valid.isEmpty()) {
      events.stale();
    }
    return valid;
  }

  public KeyView get(LeaseName name, Tx tx) {
    return keys.find(name).map(key -> key.view(tx.nanos())).orElse(KeyView.FREE);
  }

  /** For a watch, which has no transaction: the time left of each is that of the moment given. */
  public List<LeaseView> snapshot(String namespace, String prefix, long nanos) {
    return keys.list(namespace, prefix, "", nanos);
  }

  /** Holds in the order of their keys: those that begin so, from after one on. */
  public List<LeaseView> list(String namespace, String prefix, String after, Tx tx) {
    return keys.list(namespace, prefix, after, tx.nanos());
  }
}
