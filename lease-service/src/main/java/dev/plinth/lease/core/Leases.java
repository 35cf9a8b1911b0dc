package dev.plinth.lease.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Tx;
import dev.plinth.shards.store.Row;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
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
    spaces.forEachKey(key -> events.held(-key.holders.size()));
    spaces.forEach(space -> events.waiting(-space.waiters().size()));
  }

  /** A new session, by the namespace's policy where nothing was asked for. */
  public SessionView openSession(
      String namespace,
      String ownerId,
      Optional<Duration> ttl,
      Optional<Duration> lockDelay,
      String secret,
      Tx tx) {
    Policy policy = spaces.policyOf(namespace);
    ttl.ifPresent(policy::checkTtl);
    lockDelay.ifPresent(policy::checkLockDelay);
    spaces.find(namespace).ifPresent(Space::admitSession);
    Duration life = ttl.orElse(policy.defaultTtl());
    Duration delay = lockDelay.orElse(policy.defaultLockDelay());
    Session session = sessions.open(namespace, ownerId, life, delay, Secrets.digest(secret), tx);
    return new SessionView(session.id, life, List.of(), 0);
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
    List<LeaseView> held = views(session.holds, SessionView.MOST_HELD, tx);
    return new SessionView(id, session.life.ttl, held, session.holds.size());
  }

  /** Its full time counts from now; of what it holds, only what an operator wants back is told. */
  public SessionView heartbeat(String namespace, String id, Tx tx) {
    Session session = sessions.require(namespace, id);
    session.life.renew(tx);
    events.renewed(true);
    List<LeaseView> asked = views(session.asked, SessionView.MOST_ASKED, tx);
    return new SessionView(id, session.life.ttl, asked, session.asked.size());
  }

  private static List<LeaseView> views(Collection<Hold> some, int most, Tx tx) {
    return some.stream().limit(most).map(hold -> hold.view(tx.nanos())).toList();
  }

  /** Tells the keeper of a session's dangers until it ends. */
  public void keepSession(String namespace, String id, Follower keeper, Tx tx) {
    Session session = sessions.require(namespace, id);
    session.keepers.add(keeper);
    session.life.follow(keeper, tx);
  }

  /** For a keeper whose call has ended before the session. */
  public void leaveSession(String namespace, String id, Follower keeper) {
    Session session = sessions.find(namespace, id);
    if (session != null && session.keepers.remove(keeper)) {
      session.life.unfollow(keeper);
    }
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
    List<Hold> doomed = session.holds.stream().filter(hold -> !hold.confirmed).toList();
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
    Policy policy = spaces.policyOf(asked.namespace());
    spaces.find(asked.namespace()).ifPresent(space -> space.admitWish(tx.nanos()));
    policy.check(asked);
    Acquire wish = asked.filledIn(policy);
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
    lines.refreshHeads(keys, tx);
    Blocked blocked = Blocked.of(wish, keys, tx.nanos());
    if (blocked.isNone()) {
      holds.admit(wish, keys);
      List<LeaseView> leases = holds.grant(wish, session, caller, keys, 0, tx);
      caller.answer(new Acquired.Granted(leases), tx);
    } else if (wish.patience().isPresent() && wish.patience().get().isZero()) {
      caller.answer(refusal(wish, blocked, keys, tx), tx);
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
    if (wider && key.holders.size() > 1) {
      events.acquired("HELD", 0);
      Blocked.Shown holders = Blocked.holders(key, tx);
      return new Acquired.Held(holders.leases(), holders.total(), List.of(key.name.key()), 1);
    }
    events.acquired("REENTERED", 0);
    if (caller.stays()) {
      holds.follow(own, wish.callId(), caller, tx);
    }
    return new Acquired.Reentered(holds.enter(key, own, mode, tx));
  }

  private Acquired refusal(Acquire wish, Blocked blocked, List<LeaseKey> keys, Tx tx) {
    if (!blocked.barredFor().isZero()) {
      events.acquired("DELAYED", 0);
      return new Acquired.Delayed(blocked.barredFor(), blocked.keys());
    }
    events.acquired("HELD", 0);
    int position = keys.get(0).queue.positionOfNext(wish.priority(), tx.nanos());
    return new Acquired.Held(blocked.holders(), blocked.holderCount(), blocked.keys(), position);
  }

  /** For a caller whose call has ended: its wait, or its listening to the hold, ends too. */
  public void abandon(Acquire wish, Tx tx) {
    if (!lines.abandon(wish, tx)) {
      holds.unfollow(wish.callId());
    }
  }

  /** For a caller that wants nothing any more; it is told that its wait ran out, if it waits. */
  public void cancelWait(String namespace, String requestId, Tx tx) {
    lines.cancel(namespace, requestId, tx);
  }

  /** For a caller that is back in line, and may find its keys free. */
  public void comeBack(Acquire wish, Tx tx) {
    lines.comeBack(wish, tx);
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
          lines.promote(List.of(key), tx); // the new owner may stand in line itself
          return lease;
        });
  }

  /** Gives a hold to one that waits for it, past those before it in line. */
  public Handed handOver(LeaseName name, long token, String toOwner, Tx tx) {
    return onHold(name, token, (key, hold) -> handOver(key, hold, toOwner, tx))
        .orElse(Handed.NOT_HELD);
  }

  private Handed handOver(LeaseKey key, Hold hold, String toOwner, Tx tx) {
    Waiter next = lines.pick(key, hold, toOwner);
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
        .flatMap(key -> key.holders.stream())
        .filter(hold -> token.isEmpty() || token.get() == hold.token)
        .toList();
  }

  /** The floor afterwards; a token below it was not accepted. */
  public long raiseFence(LeaseName resource, long token, Tx tx) {
    if (!fences.isKnown(resource)) {
      int most = spaces.policyOf(resource.namespace()).maxFences();
      Space.admit("fences", resource.namespace(), fences.count(resource.namespace()) + 1, most);
    }
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
    long before = policy(namespace).version();
    expectedVersion.ifPresent(expected -> check("policy", expected, before));
    Space space = spaces.findOrMake(namespace);
    space.policy(policy, before + 1);
    tx.put(PolicyRows.keyOf(namespace), PolicyRows.encode(policy, before + 1));
    lines.applyPolicy(space, tx);
    return before + 1;
  }

  public SpaceView policy(String namespace) {
    return spaces
        .find(namespace)
        .map(Space::view)
        .orElse(SpaceView.UNTOUCHED)
        .with(fences.count(namespace), holds.terms.count(namespace));
  }

  public History history() {
    return holds.history.snapshot();
  }

  /**
   * The hold under this token, if the key is held under it now. One whose time is over is not, even
   * where its end is late: who acts on the answer has no time left.
   */
  public Optional<LeaseView> validate(LeaseName name, long token, Tx tx) {
    return onHold(name, token, (key, hold) -> hold)
        .filter(hold -> !hold.hasRunOut(tx.nanos()))
        .map(hold -> hold.view(tx.nanos()));
  }

  /**
   * The newest token that holds a key. One whose end is late counts, as everywhere else: an answer
   * that the key is free, before another that it is held, would contradict it.
   */
  public OptionalLong newestToken(LeaseName name) {
    List<Hold> held = spaces.find(name).map(key -> key.holders.list()).orElse(List.of());
    return held.isEmpty() ? OptionalLong.empty() : OptionalLong.of(held.get(held.size() - 1).token);
  }

  public KeyView get(LeaseName name, Tx tx) {
    return spaces.find(name).map(key -> key.view(tx.nanos())).orElse(KeyView.FREE);
  }

  /** Who waits for a key, up to so many. */
  public WaitersView waiters(LeaseName name, int most, Tx tx) {
    return spaces.find(name).map(key -> key.waiters(tx.nanos(), most)).orElse(WaitersView.NONE);
  }

  /** The last term of an election; 0 before the first. */
  public long term(LeaseName election) {
    return holds.terms.get(election);
  }

  /** For a watch, which has no transaction: the time left of each is that of the moment given. */
  public List<LeaseView> snapshot(String namespace, String prefix, long nanos) {
    return spaces.list(namespace, prefix, nanos);
  }

  /** Who leads now, for a watch. */
  public Optional<LeaseView> leader(LeaseName election, long nanos) {
    return spaces.find(election).flatMap(key -> key.views(nanos, 1).stream().findFirst());
  }

  /** Some holds in the order of their keys; a page costs what it returns. */
  public LeasePage list(LeasePage.Request request, Tx tx) {
    return spaces.page(request, tx.nanos());
  }

  /** Keys that were looked at for all pages so far. */
  long keysOnPages() {
    return spaces.keysOnPages();
  }

  /** Namespaces of which anything is in memory. */
  int namespaces() {
    return spaces.size();
  }
}
