package dev.plinth.lease.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Tx;
import dev.plinth.shards.store.Row;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;

/**
 * The leases of one shard. Every method is one decision; it runs alone.
 *
 * <p>A key goes from holder to holder without ever being free for a moment in which a newcomer
 * could slip in: the commit that ends one hold grants it to the first in line. Deadlines are in
 * memory; a holder that renews costs no write. A timer that finds its deadline moved sets itself
 * again, and one that does not ends the hold, with a commit, before anybody else can have the key.
 */
public final class Leases {
  private final LeaseEvents events;
  private final InstantSource clock;
  private final Spaces spaces = new Spaces();
  private final Holds holds;
  private final Lines lines;
  private final Sessions sessions;
  private final Fences fences = new Fences();

  Leases(InstantSource clock, LeaseEvents events) {
    this.clock = clock;
    this.events = events;
    this.holds = new Holds(clock, events, spaces);
    this.lines = holds.lines;
    this.sessions =
        new Sessions(spaces, events, (session, tx) -> end(session, End.EXPIRED, tx, (n, t) -> {}));
  }

  /**
   * After a change of owner everything gets its full time again: renewals since were not stored.
   */
  void load(List<Row> rows, Tx tx) {
    each(rows, PolicyRows.PREFIX, this::loadPolicy);
    each(rows, Fences.PREFIX, fences::load);
    each(rows, Holds.TERMS, holds.terms::load);
    each(rows, HistoryLog.PREFIX, holds.history::load);
    each(rows, SessionRows.PREFIX, (key, row) -> sessions.add(SessionRows.decode(key, row), tx));
    each(rows, KeyRows.PREFIX, this::loadKey);
    spaces.forEachKey(key -> holds.load(key, tx));
  }

  private static void each(List<Row> rows, String prefix, BiConsumer<String, byte[]> load) {
    for (Row row : rows) {
      if (row.key().startsWith(prefix)) {
        load.accept(row.key(), row.value());
      }
    }
  }

  private void loadPolicy(String rowKey, byte[] row) {
    PolicyRows.decode(rowKey, row, spaces.findOrMake(rowKey.substring(PolicyRows.PREFIX.length())));
  }

  private void loadKey(String rowKey, byte[] row) {
    LeaseKey key = spaces.findOrMake(KeyRows.name(rowKey));
    KeyRows.decode(key, rowKey, row, sessions::find);
  }

  /** Takes back what the gauges were told. */
  void uncount() {
    events.sessions(-sessions.size());
    spaces.forEachKey(key -> events.held(-key.holds.size()));
    spaces.forEachKey(
        key ->
            key.line.stream().filter(w -> w.keys.get(0) == key).forEach(w -> events.waiting(-1)));
  }

  /** A new session, by the namespace's policy where nothing was asked for. */
  public SessionView openSession(
      String namespace,
      String ownerId,
      Optional<Duration> ttl,
      Optional<Duration> lockDelay,
      String secret,
      Tx tx) {
    Space space = spaces.findOrMake(namespace);
    ttl.ifPresent(space.policy()::checkTtl);
    lockDelay.ifPresent(space.policy()::checkLockDelay);
    space.admitSession();
    Duration life = ttl.orElse(space.policy().defaultTtl());
    Duration delay = lockDelay.orElse(space.policy().defaultLockDelay());
    Session session = sessions.open(namespace, ownerId, life, delay, Secrets.digest(secret), tx);
    return new SessionView(session.id, life, List.of());
  }

  /** Goes on with a session that is still open; its full time counts from now. */
  public SessionView resumeSession(
      String namespace, String id, String ownerId, String secret, Tx tx) {
    Session session = sessions.require(namespace, id);
    if (!ownerId.isEmpty() && !ownerId.equals(session.ownerId)) {
      throw Failure.Invalid.field("owner_id", ownerId, "the session's own, or none");
    }
    if (!Secrets.match(secret, session.digest)) {
      throw new Failure.Denied(
          ErrorReason.ERROR_REASON_TOKEN_INVALID,
          "the secret is not the one of session " + id,
          Map.of("sessionId", id));
    }
    session.life.renew(tx);
    return new SessionView(id, session.life.ttl, session.held(tx.nanos()));
  }

  /** Its full time counts from now; of what it holds, only what an operator wants back is told. */
  public SessionView heartbeat(String namespace, String id, Tx tx) {
    Session session = sessions.require(namespace, id);
    session.life.renew(tx);
    events.renewed(true);
    List<LeaseView> asked = session.asked.stream().map(hold -> hold.view(tx.nanos())).toList();
    return new SessionView(id, session.life.ttl, asked);
  }

  /** Tells the keeper of a session's dangers until it ends. */
  public void keepSession(String namespace, String id, Follower keeper, Tx tx) {
    Session session = sessions.require(namespace, id);
    session.keepers.removeIf(Follower::isGone);
    session.keepers.add(keeper);
    session.life.follow(keeper, tx);
  }

  /** Tells how many keys it released; none if it had ended already. */
  public void closeSession(String namespace, String id, BiConsumer<Integer, Tx> done, Tx tx) {
    Session session = sessions.find(namespace, id);
    if (session == null || session.isEnded()) {
      done.accept(0, tx);
    } else {
      end(session, End.by(session.ownerId, Ending.CLOSED), tx, done);
    }
  }

  /** Its row goes with the last of its keys: if that is never reached, it is open again. */
  private void end(Session session, End how, Tx tx, BiConsumer<Integer, Tx> done) {
    session.end();
    lines.leaveAll(session, tx);
    List<Hold> doomed = session.holds().stream().filter(hold -> !hold.confirmed).toList();
    holds.endEach(
        doomed,
        how,
        tx,
        last -> {
          sessions.remove(session, last);
          session.keepers.forEach(keeper -> keeper.tell(new News.Lost(how), last));
          done.accept(doomed.size(), last);
        });
  }

  public void acquire(Acquire asked, Caller caller, Tx tx) {
    Space space = spaces.findOrMake(asked.namespace());
    space.admitWish(tx.nanos());
    space.policy().check(asked);
    Acquire wish = asked.filledIn(space.policy());
    Session session =
        wish.hasSession() ? sessions.require(wish.namespace(), wish.sessionId()) : null;
    List<LeaseKey> keys =
        wish.wants().stream().map(want -> spaces.findOrMake(want.name())).toList();
    Optional<Hold> own =
        keys.size() > 1
            ? Optional.empty()
            : keys.get(0).enterable(wish.party(), wish.wants().get(0).mode());
    try {
      if (own.isPresent()) {
        caller.answer(enter(keys.get(0), own.get(), wish, caller, tx), tx);
      } else {
        take(wish, session, keys, caller, tx);
      }
    } finally {
      keys.forEach(spaces::forgetIfUnused);
    }
  }

  private void take(Acquire wish, Session session, List<LeaseKey> keys, Caller caller, Tx tx) {
    Blocked blocked = Blocked.of(wish, keys, tx.nanos());
    if (blocked.isNone()) {
      Holds.admit(wish, keys);
      List<LeaseView> leases = holds.grant(wish, session, caller, keys, 0, tx);
      caller.answer(new Acquired.Granted(leases), tx);
    } else if (wish.patience().isPresent() && wish.patience().get().isZero()) {
      caller.answer(refusal(wish, blocked, keys), tx);
    } else {
      lines.join(wish, session, caller, keys, tx);
    }
  }

  /**
   * Wider than before only if nobody else holds it: two who both waited for that would wait for
   * ever.
   */
  private Acquired enter(LeaseKey key, Hold own, Acquire wish, Caller caller, Tx tx) {
    Mode mode = wish.wants().get(0).mode();
    boolean wider = own.mode == Mode.SHARED && mode == Mode.EXCLUSIVE;
    if (wider && key.holds.size() > 1) {
      events.acquired("HELD", 0);
      return new Acquired.Held(key.views(tx.nanos()), List.of(key.name.key()), 1);
    }
    events.acquired("REENTERED", 0);
    if (caller.stays()) {
      Holds.follow(own, caller, tx);
    }
    return new Acquired.Reentered(holds.enter(own, mode, tx));
  }

  private Acquired refusal(Acquire wish, Blocked blocked, List<LeaseKey> keys) {
    if (!blocked.barredFor().isZero()) {
      events.acquired("DELAYED", 0);
      return new Acquired.Delayed(blocked.barredFor(), blocked.keys());
    }
    events.acquired("HELD", 0);
    int position = keys.get(0).positionOfNext(wish.priority());
    return new Acquired.Held(blocked.holders(), blocked.keys(), position);
  }

  /** For a caller whose call has ended. */
  public void abandon(List<LeaseName> names, Tx tx) {
    names.forEach(name -> spaces.find(name).ifPresent(key -> lines.abandon(key, tx)));
  }

  /** For a caller that is back in line, and may find its keys free. */
  public void comeBack(List<LeaseName> names, Tx tx) {
    names.forEach(name -> spaces.find(name).ifPresent(key -> lines.promote(key, tx)));
  }

  /** The hold with its full time from now on, or empty if the key is not held under this token. */
  public Optional<LeaseView> renew(LeaseName name, long token, Tx tx) {
    Optional<Hold> hold = spaces.find(name, token);
    hold.filter(h -> h.session == null).ifPresent(h -> h.life().renew(tx));
    events.renewed(hold.isPresent());
    return hold.map(h -> h.view(tx.nanos()));
  }

  public Released release(LeaseName name, long token, Tx tx) {
    return onHold(
            name,
            token,
            (key, hold) -> {
              if (hold.entries > 1) {
                hold.entries--;
                holds.changed(hold, tx);
                return Released.STILL_HELD;
              }
              holds.end(key, hold, End.by(hold.party.ownerId(), Ending.RELEASED), tx);
              return Released.RELEASED;
            })
        .orElse(Released.NOT_HELD);
  }

  /**
   * Gives a hold to another owner, past the line, under a new token: the old one is stale at once.
   */
  public Optional<LeaseView> transfer(
      LeaseName name, long token, String toOwner, String toSession, Tx tx) {
    Session session = toSession.isEmpty() ? null : sessions.require(name.namespace(), toSession);
    return onHold(
        name,
        token,
        (key, hold) -> {
          holds.leaveHands(key, hold, End.by(hold.party.ownerId(), Ending.TRANSFERRED), tx);
          Party to = new Party(toOwner, toSession);
          LeaseView lease =
              holds.begin(key, hold.handedTo(to, session, tx.token(), holds.now()), 0, tx);
          lines.promote(key, tx); // the new owner may stand in line itself
          return lease;
        });
  }

  /** Gives a hold to one that waits for it, past those before it in line. */
  public Handed handOver(LeaseName name, long token, String toOwner, Tx tx) {
    return onHold(name, token, (key, hold) -> handOver(key, hold, toOwner, tx))
        .orElse(Handed.NOT_HELD);
  }

  private Handed handOver(LeaseKey key, Hold hold, String toOwner, Tx tx) {
    Waiter next = lines.pick(key, toOwner);
    if (next == null) {
      return Handed.NOBODY;
    }
    holds.leaveHands(key, hold, End.by(hold.party.ownerId(), Ending.TRANSFERRED), tx);
    long waited = tx.nanos() - next.since;
    List<LeaseView> leases =
        holds.grant(next.wish, next.session, next.caller, next.keys, waited, tx);
    next.caller.answer(new Acquired.Granted(leases), tx);
    return new Handed(Optional.of(leases.get(0)), true);
  }

  /** Makes a hold last until it is released, if it has not run out: a hold becomes a booking. */
  public Optional<LeaseView> confirm(LeaseName name, long token, Optional<byte[]> payload, Tx tx) {
    return onHold(
        name,
        token,
        (key, hold) -> {
          payload.ifPresent(hold::payload);
          return holds.confirm(hold, tx);
        });
  }

  /** Replaces what is kept with a hold; the version of the payload rises by one. */
  public Optional<LeaseView> updatePayload(
      LeaseName name, long token, Optional<Long> expectedVersion, byte[] payload, Tx tx) {
    return onHold(
        name,
        token,
        (key, hold) -> {
          expectedVersion.ifPresent(expected -> check("payload", expected, hold.version()));
          hold.payload(payload);
          return holds.changed(hold, tx);
        });
  }

  private static void check(String what, long expected, long current) {
    if (expected != current) {
      throw new Failure.Conflict(
          ErrorReason.ERROR_REASON_REVISION_CONFLICT,
          what + " version is " + current + " (expected: " + expected + ")",
          Map.of("current", String.valueOf(current), "expected", String.valueOf(expected)));
    }
  }

  private <R> Optional<R> onHold(LeaseName name, long token, BiFunction<LeaseKey, Hold, R> action) {
    LeaseKey key = spaces.find(name).orElse(null);
    Hold hold = key == null ? null : key.hold(token).orElse(null);
    if (hold == null) {
      events.stale();
      return Optional.empty();
    }
    return Optional.of(action.apply(key, hold));
  }

  /** Ends holds over their holders' heads: the one under the token, or all if none is given. */
  public void forceRelease(
      LeaseName name, Optional<Long> token, End how, BiConsumer<List<LeaseView>, Tx> done, Tx tx) {
    List<Hold> doomed = holdsOf(name, token);
    List<LeaseView> views = doomed.stream().map(hold -> hold.view(tx.nanos())).toList();
    holds.endEach(doomed, how, tx, last -> done.accept(views, last));
  }

  /** Asks the holders first; what they still hold after the grace ends by force. */
  public void askForRelease(
      LeaseName name,
      Optional<Long> token,
      Duration grace,
      End how,
      BiConsumer<List<LeaseView>, Tx> done,
      Tx tx) {
    List<Hold> asked = holdsOf(name, token);
    holds.askEach(
        asked,
        grace,
        how,
        tx,
        last -> done.accept(asked.stream().map(h -> h.view(last.nanos())).toList(), last));
  }

  private List<Hold> holdsOf(LeaseName name, Optional<Long> token) {
    return spaces.find(name).stream()
        .flatMap(key -> key.holds.stream())
        .filter(hold -> token.isEmpty() || token.get() == hold.token)
        .toList();
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

  /** The version of the policy afterwards. Keys whose capacity grew may let somebody in. */
  public long setPolicy(String namespace, Policy policy, Optional<Long> expectedVersion, Tx tx) {
    Space space = spaces.findOrMake(namespace);
    expectedVersion.ifPresent(expected -> check("policy", expected, space.policyVersion()));
    long version = space.policyVersion() + 1;
    space.policy(policy, version);
    tx.put(PolicyRows.keyOf(namespace), PolicyRows.encode(policy, version));
    List.copyOf(space.keys.values()).forEach(key -> lines.promote(key, tx));
    return version;
  }

  public SpaceView policy(String namespace) {
    return spaces.find(namespace).map(Space::view).orElse(SpaceView.UNTOUCHED);
  }

  public History history() {
    return holds.history.snapshot();
  }

  /** The hold under this token, if the key is held under it now. */
  public Optional<LeaseView> validate(LeaseName name, long token, Tx tx) {
    return onHold(name, token, (key, hold) -> hold.view(tx.nanos()));
  }

  public KeyView get(LeaseName name, Tx tx) {
    return spaces.find(name).map(key -> key.view(tx.nanos())).orElse(KeyView.FREE);
  }

  /** The last term of an election; 0 before the first. */
  public long term(LeaseName election) {
    return holds.terms.get(election);
  }

  /** For a watch, which has no transaction: the time left of each is that of the moment given. */
  public List<LeaseView> snapshot(String namespace, String prefix, long nanos) {
    return spaces.list(namespace, prefix, "", nanos);
  }

  /** Holds in the order of their keys: those that begin so, from after one on. */
  public List<LeaseView> list(String namespace, String prefix, String after, Tx tx) {
    return spaces.list(namespace, prefix, after, tx.nanos());
  }
}
