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

  final Lines lines;
  private final InstantSource clock;
  private final LeaseEvents events;
  private final Spaces spaces;
  private final Parties parties = new Parties();
  final HistoryLog history = new HistoryLog();
  final Counters terms = new Counters(TERMS);
  private final Map<Object, Hold> followed = new HashMap<>();

  Holds(InstantSource clock, LeaseEvents events, Spaces spaces) {
    this.clock = clock;
    this.events = events;
    this.spaces = spaces;
    this.lines = new Lines(spaces, parties, events, this::admit, this::grant);
  }

  /** All that a stored key says of its holders goes on, with its full time again. */
  void load(LeaseKey key, Tx tx) {
    for (Hold hold : key.holders.list()) {
      count(key, hold, 1);
      runOut(hold, tx);
      if (hold.ask != null) {
        endAfter(hold.ask.grace(), hold.ask.how(), hold, tx);
      }
    }
    if (!key.lockDelay.isNone()) {
      key.lockDelay.restart(tx.nanos());
      liftLater(key, key.lockDelay.delay(), tx);
      liftLater(key, key.lockDelay.othersDelay(), tx);
    }
  }

  /** Refuses a wish that would go over the namespace's quotas. */
  void admit(Acquire wish, List<LeaseKey> keys) {
    Space space = keys.get(0).space;
    int more = 0;
    int elections = 0;
    for (int i = 0; i < keys.size(); i++) {
      LeaseKey key = keys.get(i);
      more += key.enterable(wish.party(), wish.wants().get(i).mode()).isEmpty() ? 1 : 0;
      elections += key.name.isElection() && terms.get(key.name) == 0 ? 1 : 0;
    }
    space.admitLeases(more);
    space.admitElections(terms.count(space.name), elections);
  }

  private List<LeaseView> grant(Waiter waiter, Tx tx) {
    return grant(
        waiter.wish, waiter.session, waiter.caller, waiter.keys, tx.nanos() - waiter.since, tx);
  }

  /** Gives all keys of a wish to its caller. */
  List<LeaseView> grant(
      Acquire wish, Session session, Caller caller, List<LeaseKey> keys, long waited, Tx tx) {
    events.acquired("GRANTED", waited);
    List<LeaseView> leases = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      LeaseKey key = keys.get(i);
      Want want = wish.wants().get(i);
      Optional<Hold> own = key.enterable(wish.party(), want.mode());
      own.filter(hold -> caller.stays()).ifPresent(hold -> follow(hold, wish.callId(), caller, tx));
      leases.add(
          own.isPresent()
              ? enter(key, own.get(), want.mode(), tx)
              : begin(key, wish, newHold(want, wish, session, tx), caller, waited, tx));
    }
    return leases;
  }

  private Hold newHold(Want want, Acquire wish, Session session, Tx tx) {
    return new Hold(
        want,
        wish.party(),
        session,
        tx.token(),
        wish.ttl().orElseThrow(),
        wish.lockDelay().orElseThrow(),
        now(),
        wish.payload());
  }

  private LeaseView begin(
      LeaseKey key, Acquire wish, Hold hold, Caller caller, long waited, Tx tx) {
    reclaim(key, hold.party.ownerId(), tx);
    LeaseView lease = begin(key, hold, waited, tx);
    if (caller.stays()) {
      follow(hold, wish.callId(), caller, tx);
    }
    return lease;
  }

  /** A lost owner that asks for the key itself is back; one that is handed it may not know. */
  private static void reclaim(LeaseKey key, String owner, Tx tx) {
    if (!key.lockDelay.isNone()) {
      key.lockDelay.reclaim(owner);
      if (key.lockDelay.left(tx.nanos()).isZero()) {
        key.lockDelay.clear();
        KeyRows.deleteLost(key, tx);
      } else {
        KeyRows.putLost(key, tx);
      }
    }
  }

  LeaseView begin(LeaseKey key, Hold hold, long waited, Tx tx) {
    if (key.name.isElection()) {
      hold.term = terms.get(key.name) + 1;
      terms.set(key.name, hold.term, tx);
    }
    key.holders.add(hold);
    count(key, hold, 1);
    runOut(hold, tx);
    KeyRows.put(hold, tx);
    remember(HistoryEntry.Type.GRANTED, hold, null, hold.party.ownerId(), "", waited, tx);
    tell(LeaseChange.Type.GRANTED, hold, null, tx);
    lines.breakCircles(hold.party, key, tx);
    return hold.view(tx.nanos());
  }

  void follow(Hold hold, Object callId, Follower follower, Tx tx) {
    hold.follow(callId, follower);
    hold.life().follow(follower, tx);
    followed.put(callId, hold);
  }

  /** For one whose call has ended before the hold. */
  void unfollow(Object callId) {
    Hold hold = followed.remove(callId);
    if (hold != null) {
      hold.life().unfollow(hold.followers().remove(callId));
    }
  }

  /** Once more by its own holder, under the same token. */
  LeaseView enter(LeaseKey key, Hold own, Mode mode, Tx tx) {
    // A candidate that asks again leads already; it has nothing to resign from twice.
    if (own.name.isElection()) {
      return own.view(tx.nanos());
    }
    if (mode == Mode.EXCLUSIVE) {
      key.holders.makeExclusive(own);
    }
    own.entries++;
    if (own.session == null) {
      own.life().renew(tx);
    }
    lines.breakCircles(own.party, key, tx);
    return changed(own, tx);
  }

  LeaseView changed(Hold hold, Tx tx) {
    KeyRows.put(hold, tx);
    tell(LeaseChange.Type.CHANGED, hold, null, tx);
    return hold.view(tx.nanos());
  }

  /** From now on it ends only by release. */
  LeaseView confirm(Hold hold, Tx tx) {
    hold.confirmed = true;
    if (hold.session == null) {
      hold.life().stop();
    }
    remember(HistoryEntry.Type.CONFIRMED, hold, null, hold.party.ownerId(), "", 0, tx);
    return changed(hold, tx);
  }

  /** Its holder is told, and when the grace is over it ends by force. */
  private void ask(Hold hold, Duration grace, End how, Tx tx) {
    endAfter(grace, how, hold, tx);
    remember(HistoryEntry.Type.RELEASE_ASKED, hold, null, how.actor(), how.reason(), 0, tx);
    News news = new News.Asked(changed(hold, tx));
    hold.followers().values().forEach(follower -> follower.tell(news, tx));
    if (hold.session != null) {
      hold.session.keepers.forEach(keeper -> keeper.tell(news, tx));
    }
  }

  private void endAfter(Duration grace, End how, Hold hold, Tx tx) {
    Ask ask = new Ask(grace, tx.nanos() + grace.toNanos(), how.actor(), how.reason());
    hold.ask = ask;
    if (hold.session != null) {
      hold.session.asked.add(hold);
    }
    tx.at(
        ask.until(),
        later ->
            spaces
                .find(hold.name, hold.token)
                .filter(held -> held.ask == ask)
                .ifPresent(held -> end(held, how, later)));
  }

  private void end(Hold hold, End how, Tx tx) {
    spaces.find(hold.name).ifPresent(key -> end(key, hold, how, tx));
  }

  void end(LeaseKey key, Hold hold, End how, Tx tx) {
    leaveHands(key, hold, how, tx);
    // A holder that was lost may still be writing somewhere; one that let go is not.
    if (how.cause().isUnclean() && !hold.lockDelay.isZero()) {
      key.lockDelay.start(hold.party.ownerId(), hold.lockDelay, tx.nanos());
      KeyRows.putLost(key, tx);
      liftLater(key, hold.lockDelay, tx);
    }
    lines.promote(List.of(key), tx);
    spaces.forgetIfUnused(key);
  }

  /** Ends many, in as many commits as it takes. */
  void endEach(Collection<Hold> holds, End how, Tx tx, Consumer<Tx> done) {
    each(new ArrayDeque<>(holds), (hold, now) -> end(hold, how, now), done, tx);
  }

  /** Asks many holders to let go, in as many commits as it takes. */
  void askEach(Collection<Hold> holds, Duration grace, End how, Tx tx, Consumer<Tx> done) {
    each(new ArrayDeque<>(holds), (hold, now) -> ask(hold, grace, how, now), done, tx);
  }

  private void each(Deque<Hold> left, BiConsumer<Hold, Tx> action, Consumer<Tx> done, Tx tx) {
    while (!left.isEmpty()) {
      if (tx.writes() > Lines.MOST_WRITES) {
        tx.at(tx.nanos(), later -> each(left, action, done, later));
        return;
      }
      Hold hold = left.poll();
      spaces.find(hold.name, hold.token).ifPresent(held -> action.accept(held, tx));
    }
    done.accept(tx);
  }

  void leaveHands(LeaseKey key, Hold hold, End how, Tx tx) {
    key.holders.remove(hold);
    KeyRows.delete(hold, tx);
    key.freedAt = tx.nanos();
    count(key, hold, -1);
    if (hold.session == null) {
      hold.life().stop();
    } else {
      hold.session.leave(hold);
    }
    remember(HistoryEntry.Type.ENDED, hold, how.cause(), how.actor(), how.reason(), 0, tx);
    tell(LeaseChange.Type.ENDED, hold, how.cause(), tx);
    hold.followers()
        .forEach(
            (callId, follower) -> {
              followed.remove(callId);
              hold.life().unfollow(follower);
              follower.tell(new News.Lost(how), tx);
            });
    events.ended(how.cause().name(), held(hold).toNanos());
  }

  private void runOut(Hold hold, Tx tx) {
    if (hold.session != null) {
      hold.session.holds.add(hold);
    } else if (!hold.confirmed) {
      hold.life().begin(tx, later -> end(hold, End.EXPIRED, later));
    }
  }

  private void count(LeaseKey key, Hold hold, int change) {
    key.space.leases += change;
    parties.holds(hold.party, change);
    events.held(change);
  }

  private Duration held(Hold hold) {
    Duration held = Duration.between(hold.acquiredAt, clock.instant());
    return held.isNegative() ? Duration.ZERO : held;
  }

  private void remember(
      HistoryEntry.Type type,
      Hold hold,
      Ending cause,
      String actor,
      String reason,
      long waited,
      Tx tx) {
    boolean ended = type == HistoryEntry.Type.ENDED;
    history.add(
        new HistoryEntry(
            type,
            now(),
            hold.name,
            hold.party.ownerId(),
            hold.party.sessionId(),
            hold.token,
            hold.mode,
            Optional.ofNullable(cause),
            actor,
            reason,
            Duration.ofNanos(waited),
            ended ? held(hold) : Duration.ZERO,
            hold.term),
        tx);
  }

  private static void tell(LeaseChange.Type type, Hold hold, Ending cause, Tx tx) {
    LeaseChange change = new LeaseChange(type, hold.view(tx.nanos()), Optional.ofNullable(cause));
    tx.emit(new Event(hold.name.path(), change, change.bytes()));
  }

  private void liftLater(LeaseKey key, Duration delay, Tx tx) {
    tx.at(
        tx.nanos() + delay.toNanos(),
        later -> {
          if (!key.lockDelay.isNone() && key.lockDelay.left(later.nanos()).isZero()) {
            key.lockDelay.clear();
            KeyRows.deleteLost(key, later);
          }
          // Also while others' delays run: the owner that is lost last may be free to come back.
          lines.promote(List.of(key), later);
          spaces.forgetIfUnused(key);
        });
  }

  /** As rows keep it, so that a takeover does not change what callers are told. */
  Instant now() {
    return Instant.ofEpochMilli(clock.millis());
  }
}
