package dev.plinth.lease.core;

import dev.plinth.shards.ExpectedVersion;
import dev.plinth.shards.RowReader;
import dev.plinth.shards.Tx;
import dev.plinth.shards.store.Row;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
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
  private final LeaseNamespaces leaseNamespaces = new LeaseNamespaces();
  private final Holds holds;
  private final WaitQueues waitQueues;
  private final Sessions sessions;
  private final Fences fences;
  private final ForcedReleases forcedReleases;

  /**
   * @param historyBytes what the history may take
   */
  Leases(InstantSource clock, LeaseEvents events, long historyBytes) {
    this.clock = clock;
    this.events = events;
    this.holds = new Holds(clock, events, leaseNamespaces, new HistoryLog(historyBytes));
    this.waitQueues = holds.waitQueues;
    this.sessions = new Sessions(leaseNamespaces, holds, events);
    this.fences = new Fences(leaseNamespaces, events);
    this.forcedReleases = new ForcedReleases(leaseNamespaces, holds);
  }

  /**
   * After a change of owner everything gets its full time again: renewals since were not stored.
   */
  void load(List<Row> rows, Tx tx) {
    RowReader.each(rows, NamespacePolicyRows.PREFIX, this::loadPolicy);
    RowReader.each(rows, Fences.PREFIX, fences::load);
    RowReader.each(rows, Holds.TERMS, holds.terms::load);
    rows.stream()
        .filter(row -> row.key().startsWith(HistoryLog.PREFIX))
        .forEach(holds.history::load);
    RowReader.each(rows, SessionRows.PREFIX, row -> sessions.add(SessionRows.decode(row), tx));
    RowReader.each(rows, KeyRows.PREFIX, this::loadKey);
    leaseNamespaces.forEachKey(key -> holds.load(key, tx));
  }

  private void loadPolicy(RowReader row) {
    NamespacePolicyRows.decode(row, leaseNamespaces.findOrMake(row.key()));
  }

  private void loadKey(RowReader row) {
    KeyRows.decode(leaseNamespaces.findOrMake(KeyRows.name(row)), row, sessions::find);
  }

  /** Takes back what the gauges were told. */
  void removeFromGauges() {
    events.sessions(-sessions.size());
    leaseNamespaces.forEachKey(key -> events.held(-key.holders.size()));
    leaseNamespaces.forEach(leaseNamespace -> events.waiting(-leaseNamespace.waiters().size()));
  }

  public Sessions sessions() {
    return sessions;
  }

  public void acquire(AcquireSpec asked, AcquireListener acquireListener, Tx tx) {
    NamespacePolicy namespacePolicy = leaseNamespaces.policyOf(asked.namespace());
    leaseNamespaces
        .find(asked.namespace())
        .ifPresent(leaseNamespace -> leaseNamespace.admitAcquire(tx.nanos()));
    namespacePolicy.check(asked);
    AcquireSpec spec = asked.withDefaults(namespacePolicy);
    Session session =
        spec.hasSession() ? sessions.require(spec.namespace(), spec.party().sessionId()) : null;
    List<LeaseKey> keys =
        spec.wants().stream()
            .map(keyRequest -> leaseNamespaces.findOrMake(keyRequest.name()))
            .toList();
    Optional<Hold> own =
        keys.size() > 1
            ? Optional.empty()
            : keys.get(0).enterable(spec.party(), spec.wants().get(0).leaseMode());
    try {
      if (own.isPresent()) {
        acquireListener.answer(enter(keys.get(0), own.get(), spec, acquireListener, tx), tx);
      } else {
        take(spec, session, keys, acquireListener, tx);
      }
    } finally {
      keys.forEach(leaseNamespaces::forgetIfUnused);
    }
  }

  private void take(
      AcquireSpec spec,
      Session session,
      List<LeaseKey> keys,
      AcquireListener acquireListener,
      Tx tx) {
    waitQueues.refreshHeads(keys, tx);
    AcquireBlockers acquireBlockers = AcquireBlockers.of(spec, keys, tx.nanos());
    if (acquireBlockers.isNone()) {
      holds.admit(spec, keys);
      List<LeaseView> leases = holds.grant(spec, session, acquireListener, keys, 0, tx);
      acquireListener.answer(new AcquireResult.Granted(leases), tx);
    } else if (spec.timeout().isPresent() && spec.timeout().get().isZero()) {
      acquireListener.answer(refusal(spec, acquireBlockers, keys, tx), tx);
    } else {
      waitQueues.join(spec, session, acquireListener, keys, tx);
    }
  }

  /**
   * Wider than before only if nobody else holds it: two who both waited for that would wait for
   * ever.
   */
  private AcquireResult enter(
      LeaseKey key, Hold own, AcquireSpec spec, AcquireListener acquireListener, Tx tx) {
    LeaseMode leaseMode = spec.wants().get(0).leaseMode();
    boolean wider = own.leaseMode == LeaseMode.SHARED && leaseMode == LeaseMode.EXCLUSIVE;
    if (wider && key.holders.size() > 1) {
      events.acquired("HELD", 0);
      AcquireBlockers.Shown holders = AcquireBlockers.holders(key, tx);
      return new AcquireResult.Held(holders.leases(), holders.total(), List.of(key.name.key()), 1);
    }
    events.acquired("REENTERED", 0);
    if (acquireListener.wantsEvents()) {
      holds.addListener(own, spec.callId(), acquireListener, tx);
    }
    return new AcquireResult.Reentered(holds.enter(key, own, leaseMode, tx));
  }

  private AcquireResult refusal(
      AcquireSpec spec, AcquireBlockers acquireBlockers, List<LeaseKey> keys, Tx tx) {
    if (!acquireBlockers.barredFor().isZero()) {
      events.acquired("DELAYED", 0);
      return new AcquireResult.Delayed(acquireBlockers.barredFor(), acquireBlockers.keys());
    }
    events.acquired("HELD", 0);
    int position = keys.get(0).queue.positionOfNext(spec.priority(), tx.nanos());
    return new AcquireResult.Held(
        acquireBlockers.holders(), acquireBlockers.holderCount(), acquireBlockers.keys(), position);
  }

  /** For a caller whose call has ended: its wait, or its listening to the hold, ends too. */
  public void abandon(AcquireSpec spec, Tx tx) {
    if (!waitQueues.abandon(spec, tx)) {
      holds.removeListener(spec.callId());
    }
  }

  /** For a caller that wants nothing any more; it is told that its wait ran out, if it waits. */
  public void cancelWait(AcquireSpec spec, Tx tx) {
    waitQueues.cancel(spec, tx);
  }

  /** For a caller that is back in line, and may find its keys free. */
  public void rejoin(AcquireSpec spec, Tx tx) {
    waitQueues.rejoin(spec, tx);
  }

  /** The hold with its full time from now on, or empty if the key is not held under this token. */
  public Optional<LeaseView> renew(LeaseName name, long token, Tx tx) {
    Optional<Hold> hold = leaseNamespaces.find(name, token).filter(Hold::canBeRenewed);
    hold.filter(h -> h.session == null).ifPresent(h -> h.life().renew(tx));
    events.renewed(hold.isPresent());
    return hold.map(h -> h.view(tx.nanos()));
  }

  public ReleaseResult release(LeaseName name, long token, Tx tx) {
    return onHold(
            name,
            token,
            (key, hold) -> {
              if (hold.entries > 1) {
                hold.entries--;
                holds.changed(hold, tx);
                return ReleaseResult.STILL_HELD;
              }
              holds.end(
                  key, hold, HoldEnd.by(hold.leaseOwner.ownerId(), HoldEndCause.RELEASED), tx);
              return ReleaseResult.RELEASED;
            })
        .orElse(ReleaseResult.NOT_HELD);
  }

  /**
   * Gives a hold to another owner, past the line, under a new token: the old one is stale at once.
   * An operator's wish to have it back goes with it.
   */
  public Optional<LeaseView> transfer(
      LeaseName name, long token, String toOwner, String toSession, Tx tx) {
    Session session = toSession.isEmpty() ? null : sessions.require(name.namespace(), toSession);
    return onHold(
        name,
        token,
        tx,
        (key, hold) -> {
          holds.leaveHands(
              key, hold, HoldEnd.by(hold.leaseOwner.ownerId(), HoldEndCause.TRANSFERRED), tx);
          LeaseOwner to = new LeaseOwner(toOwner, toSession);
          Hold next = hold.transferredTo(to, session, tx.token(), holds.now());
          LeaseView lease = holds.beginTransferred(key, next, hold.releaseNotice, tx);
          waitQueues.promote(List.of(key), tx); // the new owner may stand in line itself
          return lease;
        });
  }

  /** Gives a hold to one that waits for it, past those before it in line. */
  public HandoverResult handOver(LeaseName name, long token, String toOwner, Tx tx) {
    return onHold(name, token, tx, (key, hold) -> handOver(key, hold, toOwner, tx))
        .orElse(HandoverResult.NOT_HELD);
  }

  private HandoverResult handOver(LeaseKey key, Hold hold, String toOwner, Tx tx) {
    Waiter next = waitQueues.pick(key, hold, toOwner);
    if (next == null) {
      return HandoverResult.NOBODY;
    }
    holds.leaveHands(
        key, hold, HoldEnd.by(hold.leaseOwner.ownerId(), HoldEndCause.TRANSFERRED), tx);
    long waited = tx.nanos() - next.since;
    List<LeaseView> leases =
        holds.grant(next.spec, next.session, next.acquireListener, next.keys, waited, tx);
    next.acquireListener.answer(new AcquireResult.Granted(leases), tx);
    return new HandoverResult(Optional.of(leases.get(0)), true);
  }

  /** Makes a hold last until it is released, if it has not run out: a hold becomes a booking. */
  public Optional<LeaseView> confirm(LeaseName name, long token, Optional<byte[]> payload, Tx tx) {
    return onHold(name, token, tx, (key, hold) -> holds.confirm(hold, payload, tx));
  }

  /** Replaces what is kept with a hold; the version of the payload rises by one. */
  public Optional<LeaseView> updatePayload(
      LeaseName name, long token, Optional<Long> expectedVersion, byte[] payload, Tx tx) {
    return onHold(
        name,
        token,
        tx,
        (key, hold) -> {
          ExpectedVersion.check("payload", expectedVersion, hold.version());
          hold.payload(payload);
          return holds.changed(LeaseChange.Type.PAYLOAD_CHANGED, hold, tx);
        });
  }

  /** Acts on a hold that has time left. One that has not is ended: that it ran out is decided. */
  private <R> Optional<R> onHold(
      LeaseName name, long token, Tx tx, BiFunction<LeaseKey, Hold, R> action) {
    return onHold(
            name,
            token,
            (key, hold) -> {
              if (hold.hasRunOut(tx.nanos())) {
                events.stale();
                expire(key, hold, tx);
                return Optional.<R>empty();
              }
              return Optional.of(action.apply(key, hold));
            })
        .flatMap(result -> result);
  }

  private void expire(LeaseKey key, Hold hold, Tx tx) {
    if (hold.session == null) {
      holds.end(key, hold, HoldEnd.EXPIRED, tx);
    } else if (!hold.session.isEnded()) {
      sessions.expire(hold.session, tx);
    }
  }

  private <R> Optional<R> onHold(LeaseName name, long token, BiFunction<LeaseKey, Hold, R> action) {
    LeaseKey key = leaseNamespaces.find(name).orElse(null);
    Hold hold = key == null ? null : key.hold(token).orElse(null);
    if (hold == null) {
      events.stale();
      return Optional.empty();
    }
    return Optional.of(action.apply(key, hold));
  }

  public ForcedReleases forcedReleases() {
    return forcedReleases;
  }

  public Fences fences() {
    return fences;
  }

  /** The version of the policy afterwards. Keys whose capacity grew may let somebody in. */
  public long setPolicy(
      String namespace, NamespacePolicy namespacePolicy, Optional<Long> expectedVersion, Tx tx) {
    long before = policy(namespace).version();
    ExpectedVersion.check("policy", expectedVersion, before);
    LeaseNamespace leaseNamespace = leaseNamespaces.findOrMake(namespace);
    leaseNamespace.policy(namespacePolicy, before + 1);
    tx.put(
        NamespacePolicyRows.keyOf(namespace),
        NamespacePolicyRows.encode(namespacePolicy, before + 1));
    waitQueues.applyPolicy(leaseNamespace, tx);
    return before + 1;
  }

  public LeaseNamespaceView policy(String namespace) {
    return leaseNamespaces
        .find(namespace)
        .map(LeaseNamespace::view)
        .orElse(LeaseNamespaceView.UNTOUCHED)
        .with(fences.count(namespace), holds.terms.count(namespace));
  }

  public HistorySnapshot history() {
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
    List<Hold> held = leaseNamespaces.find(name).map(key -> key.holders.list()).orElse(List.of());
    return held.isEmpty() ? OptionalLong.empty() : OptionalLong.of(held.get(held.size() - 1).token);
  }

  public KeyView get(LeaseName name, Tx tx) {
    return leaseNamespaces.find(name).map(key -> key.view(tx.nanos())).orElse(KeyView.FREE);
  }

  /** Who waits for a key, up to so many. */
  public WaitersView waiters(LeaseName name, int most, Tx tx) {
    return leaseNamespaces
        .find(name)
        .map(key -> key.waiters(tx.nanos(), most))
        .orElse(WaitersView.NONE);
  }

  /** The last term of an election; 0 before the first. */
  public long term(LeaseName election) {
    return holds.terms.get(election);
  }

  /** For a watch, which has no transaction: the time left of each is that of the moment given. */
  public List<LeaseView> snapshot(String namespace, String prefix, long nanos) {
    return leaseNamespaces.list(namespace, prefix, nanos);
  }

  /** Who leads now, for a watch. */
  public Optional<LeaseView> leader(LeaseName election, long nanos) {
    return leaseNamespaces.find(election).flatMap(key -> key.views(nanos, 1).stream().findFirst());
  }

  /** Some holds in the order of their keys; a page costs what it returns. */
  public LeasePage list(LeasePage.Request request, Tx tx) {
    return leaseNamespaces.page(request, tx.nanos());
  }

  /** Waiters that were looked at for deadlocks so far. */
  long deadlockVisits() {
    return waitQueues.deadlockVisits();
  }

  /** Keys that were looked at for all pages so far. */
  long keysOnPages() {
    return leaseNamespaces.keysOnPages();
  }

  /** Namespaces of which anything is in memory. */
  int namespaces() {
    return leaseNamespaces.size();
  }
}
