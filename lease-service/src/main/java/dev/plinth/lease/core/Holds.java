package dev.plinth.lease.core;

import dev.plinth.shards.Event;
import dev.plinth.shards.Tx;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * How holds begin, change and end. The one place where that happens, so that rows, timers, history,
 * watchers, followers and counts all hear of it.
 */
final class Holds {
  static final String TERMS = "lease/e/";

  final WaitQueues waitQueues;
  private final LockDelayLifter lockDelayLifter;
  private final InstantSource clock;
  private final LeaseEvents events;
  private final LeaseNamespaces leaseNamespaces;
  private final OwnerIndex ownerIndex = new OwnerIndex();
  final HistoryLog history;
  final PersistentCounters terms = new PersistentCounters(TERMS);
  private final Map<Object, Hold> followed = new HashMap<>();

  Holds(
      InstantSource clock,
      LeaseEvents events,
      LeaseNamespaces leaseNamespaces,
      HistoryLog history) {
    this.clock = clock;
    this.history = history;
    this.events = events;
    this.leaseNamespaces = leaseNamespaces;
    this.waitQueues = new WaitQueues(leaseNamespaces, ownerIndex, events, this::admit, this::grant);
    this.lockDelayLifter = new LockDelayLifter(waitQueues, leaseNamespaces);
  }

  /** All that a stored key says of its holders goes on, with its full time again. */
  void load(LeaseKey key, Tx tx) {
    for (Hold hold : key.holders.list()) {
      count(key, hold, 1);
      runOut(hold, tx);
      if (hold.releaseNotice != null) {
        endAfter(hold, hold.releaseNotice.restarted(tx.nanos()), tx);
      }
    }
    if (!key.lockDelay.isNone()) {
      key.lockDelay.restart(tx.nanos());
      lockDelayLifter.liftLater(key, tx);
    }
    key.countBarred();
  }

  /** Refuses a wish that would go over the namespace's quotas. */
  void admit(AcquireSpec spec, List<LeaseKey> keys) {
    LeaseNamespace leaseNamespace = keys.get(0).leaseNamespace;
    int more = 0;
    int elections = 0;
    for (int i = 0; i < keys.size(); i++) {
      LeaseKey key = keys.get(i);
      boolean counted =
          key.isOnlyBarred()
              || key.enterable(spec.party(), spec.wants().get(i).leaseMode()).isPresent();
      more += counted ? 0 : 1;
      elections += key.name.isElection() && terms.get(key.name) == 0 ? 1 : 0;
    }
    leaseNamespace.admitLeases(more);
    leaseNamespace.admitElections(terms.count(leaseNamespace.name), elections);
  }

  private List<LeaseView> grant(Waiter waiter, Tx tx) {
    return grant(
        waiter.spec,
        waiter.session,
        waiter.acquireListener,
        waiter.keys,
        tx.nanos() - waiter.since,
        tx);
  }

  /** Gives all keys of a wish to its caller. */
  List<LeaseView> grant(
      AcquireSpec spec,
      Session session,
      AcquireListener acquireListener,
      List<LeaseKey> keys,
      long waited,
      Tx tx) {
    events.acquired("GRANTED", waited);
    List<LeaseView> leases = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      LeaseKey key = keys.get(i);
      KeyRequest keyRequest = spec.wants().get(i);
      Optional<Hold> own = key.enterable(spec.party(), keyRequest.leaseMode());
      own.filter(hold -> acquireListener.wantsEvents())
          .ifPresent(hold -> addListener(hold, spec.callId(), acquireListener, tx));
      leases.add(
          own.isPresent()
              ? enter(key, own.get(), keyRequest.leaseMode(), tx)
              : begin(
                  key, spec, newHold(keyRequest, spec, session, tx), acquireListener, waited, tx));
    }
    return leases;
  }

  private Hold newHold(KeyRequest keyRequest, AcquireSpec spec, Session session, Tx tx) {
    return new Hold(
        keyRequest,
        spec.party(),
        session,
        tx.token(),
        spec.ttl().orElseThrow(),
        spec.lockDelay().orElseThrow(),
        now(),
        spec.payload());
  }

  private LeaseView begin(
      LeaseKey key,
      AcquireSpec spec,
      Hold hold,
      AcquireListener acquireListener,
      long waited,
      Tx tx) {
    LockDelayLifter.reclaim(key, hold.leaseOwner.ownerId(), tx);
    LeaseView lease = begin(key, hold, waited, tx);
    if (acquireListener.wantsEvents()) {
      addListener(hold, spec.callId(), acquireListener, tx);
    }
    return lease;
  }

  LeaseView begin(LeaseKey key, Hold hold, long waited, Tx tx) {
    if (key.name.isElection()) {
      hold.term = terms.get(key.name) + 1;
      terms.set(key.name, hold.term, tx);
    }
    key.holders.add(hold);
    key.countBarred();
    count(key, hold, 1);
    runOut(hold, tx);
    KeyRows.put(hold, tx);
    remember(HistoryEvent.Type.GRANTED, hold, null, hold.leaseOwner.ownerId(), "", waited, tx);
    notifyListeners(LeaseChange.Type.GRANTED, hold, null, tx);
    waitQueues.breakCycles(hold.leaseOwner, key, tx);
    return hold.view(tx.nanos());
  }

  void addListener(Hold hold, Object callId, HoldListener holdListener, Tx tx) {
    hold.addListener(callId, holdListener);
    hold.life().addListener(holdListener, tx);
    followed.put(callId, hold);
  }

  /** For one whose call has ended before the hold. */
  void removeListener(Object callId) {
    Hold hold = followed.remove(callId);
    if (hold != null) {
      hold.life().removeListener(hold.listeners().remove(callId));
    }
  }

  /** Once more by its own holder, under the same token. */
  LeaseView enter(LeaseKey key, Hold own, LeaseMode leaseMode, Tx tx) {
    // A candidate that asks again leads already; it has nothing to resign from twice.
    if (own.name.isElection()) {
      return own.view(tx.nanos());
    }
    // Only a hold that is in the way of more than before can close a circle.
    boolean wider = leaseMode == LeaseMode.EXCLUSIVE && own.leaseMode == LeaseMode.SHARED;
    if (wider) {
      key.holders.makeExclusive(own);
    }
    own.entries++;
    if (own.session == null) {
      own.life().renew(tx);
    }
    if (wider) {
      waitQueues.breakCycles(own.leaseOwner, key, tx);
    }
    return changed(own, tx);
  }

  LeaseView changed(Hold hold, Tx tx) {
    return changed(LeaseChange.Type.CHANGED, hold, tx);
  }

  LeaseView changed(LeaseChange.Type type, Hold hold, Tx tx) {
    KeyRows.put(hold, tx);
    notifyListeners(type, hold, null, tx);
    return hold.view(tx.nanos());
  }

  /** From now on it ends only by release. */
  LeaseView confirm(Hold hold, Optional<byte[]> payload, Tx tx) {
    payload.ifPresent(hold::payload);
    hold.confirmed = true;
    if (hold.session == null) {
      hold.life().stop();
    }
    remember(HistoryEvent.Type.CONFIRMED, hold, null, hold.leaseOwner.ownerId(), "", 0, tx);
    return changed(
        payload.isPresent() ? LeaseChange.Type.PAYLOAD_CHANGED : LeaseChange.Type.CHANGED,
        hold,
        tx);
  }

  /** Its holder is told, and when the grace is over it ends by force. */
  private void requestRelease(Hold hold, Duration grace, HoldEnd how, Tx tx) {
    endAfter(hold, ReleaseNotice.of(grace, how, tx.nanos()), tx);
    remember(HistoryEvent.Type.RELEASE_ASKED, hold, null, how.actor(), how.reason(), 0, tx);
    HoldEvent holdEvent = new HoldEvent.Asked(changed(hold, tx));
    hold.listeners().values().forEach(holdListener -> holdListener.onEvent(holdEvent, tx));
    tellKeepers(hold, holdEvent, tx);
  }

  private static void tellKeepers(Hold hold, HoldEvent holdEvent, Tx tx) {
    if (hold.session != null) {
      hold.session.keepers.forEach(keeper -> keeper.onEvent(holdEvent, tx));
    }
  }

  /** In other hands, but an operator that wants it back waits no longer for that. */
  LeaseView beginTransferred(LeaseKey key, Hold hold, ReleaseNotice releaseNotice, Tx tx) {
    if (releaseNotice == null) {
      return begin(key, hold, 0, tx);
    }
    endAfter(hold, releaseNotice, tx);
    LeaseView lease = begin(key, hold, 0, tx);
    tellKeepers(hold, new HoldEvent.Asked(lease), tx);
    return lease;
  }

  private void endAfter(Hold hold, ReleaseNotice releaseNotice, Tx tx) {
    hold.releaseNotice = releaseNotice;
    if (hold.session != null) {
      hold.session.asked.add(hold);
    }
    cancel(hold.releaseTimer); // of an earlier notice
    hold.releaseTimer =
        tx.at(releaseNotice.until(), later -> end(hold, releaseNotice.how(), later));
  }

  private void end(Hold hold, HoldEnd how, Tx tx) {
    leaseNamespaces.find(hold.name).ifPresent(key -> end(key, hold, how, tx));
  }

  void end(LeaseKey key, Hold hold, HoldEnd how, Tx tx) {
    leaveHands(key, hold, how, tx);
    // A holder that was lost may still be writing somewhere; one that let go is not.
    if (how.cause().isUnclean() && !hold.lockDelay.isZero()) {
      key.lockDelay.start(hold.leaseOwner.ownerId(), hold.lockDelay, tx.nanos());
      KeyRows.putLost(key, tx);
      lockDelayLifter.liftLater(key, tx);
    }
    key.countBarred();
    waitQueues.promote(List.of(key), tx);
    leaseNamespaces.forgetIfUnused(key);
  }

  /** Ends many, in as many commits as it takes. */
  void endEach(Collection<Hold> holds, HoldEnd how, Tx tx, Consumer<Tx> done) {
    each(new ArrayDeque<>(holds), (hold, now) -> end(hold, how, now), done, tx);
  }

  /** Asks many holders to let go, in as many commits as it takes. */
  void requestReleaseOfEach(
      Collection<Hold> holds, Duration grace, HoldEnd how, Tx tx, Consumer<Tx> done) {
    each(new ArrayDeque<>(holds), (hold, now) -> requestRelease(hold, grace, how, now), done, tx);
  }

  private void each(Deque<Hold> left, BiConsumer<Hold, Tx> action, Consumer<Tx> done, Tx tx) {
    while (!left.isEmpty()) {
      if (tx.writes() > WaitQueues.MAX_WRITES) {
        tx.at(tx.nanos(), later -> each(left, action, done, later));
        return;
      }
      Hold hold = left.poll();
      leaseNamespaces.find(hold.name, hold.token).ifPresent(held -> action.accept(held, tx));
    }
    done.accept(tx);
  }

  void leaveHands(LeaseKey key, Hold hold, HoldEnd how, Tx tx) {
    key.holders.remove(hold);
    KeyRows.delete(hold, tx);
    key.freedAt = tx.nanos();
    count(key, hold, -1);
    cancel(hold.releaseTimer); // or it would keep the hold in memory until the notice is over
    if (hold.session == null) {
      hold.life().stop();
    } else {
      hold.session.leave(hold);
    }
    remember(HistoryEvent.Type.ENDED, hold, how.cause(), how.actor(), how.reason(), 0, tx);
    notifyListeners(LeaseChange.Type.ENDED, hold, how.cause(), tx);
    hold.listeners()
        .forEach(
            (callId, holdListener) -> {
              followed.remove(callId);
              hold.life().removeListener(holdListener);
              holdListener.onEvent(new HoldEvent.Lost(how), tx);
            });
    events.ended(how.cause().name(), held(hold).toNanos());
  }

  private void runOut(Hold hold, Tx tx) {
    if (hold.session != null) {
      hold.session.holds.add(hold);
    } else if (!hold.confirmed) {
      hold.life().begin(tx, later -> end(hold, HoldEnd.EXPIRED, later));
    }
  }

  private void count(LeaseKey key, Hold hold, int change) {
    key.leaseNamespace.leases += change;
    ownerIndex.holds(hold.leaseOwner, change);
    events.held(change);
  }

  private Duration held(Hold hold) {
    Duration held = Duration.between(hold.acquiredAt, clock.instant());
    return held.isNegative() ? Duration.ZERO : held;
  }

  private void remember(
      HistoryEvent.Type type,
      Hold hold,
      HoldEndCause cause,
      String actor,
      String reason,
      long waited,
      Tx tx) {
    boolean ended = type == HistoryEvent.Type.ENDED;
    history.add(
        new HistoryEvent(
            type,
            now(),
            hold.id(),
            Optional.ofNullable(cause),
            actor,
            reason,
            Duration.ofNanos(waited),
            ended ? held(hold) : Duration.ZERO),
        tx);
  }

  private static void notifyListeners(LeaseChange.Type type, Hold hold, HoldEndCause cause, Tx tx) {
    LeaseChange change = new LeaseChange(type, hold.view(tx.nanos()), Optional.ofNullable(cause));
    tx.emit(new Event(hold.name.path(), change, change.bytes()));
  }

  private static void cancel(Tx.Timer timer) {
    if (timer != null) {
      timer.cancel();
    }
  }

  /** As rows keep it, so that a takeover does not change what callers are told. */
  Instant now() {
    return Instant.ofEpochMilli(clock.millis());
  }
}
