package dev.plinth.lease.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Tx;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Who waits for keys. Only the head of a line is let in, and those behind it who go with it. A set
 * is let in when it is at the head of every line it stands in.
 */
final class Lines {
  /** Gives keys to one that waited for them. */
  interface Grants {
    List<LeaseView> grant(Waiter waiter, Tx tx);
  }

  // How long a caller whose call broke off keeps its place for a second try.
  static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final Duration FOR_EVER = Duration.ofDays(36_500);
  // A store bounds the rows of a commit; what is left of a long hand-off goes into the next.
  static final int MOST_WRITES = 64;

  private final Spaces spaces;
  private final Parties parties;
  private final Deadlocks deadlocks;
  private final LeaseEvents events;
  private final Grants grants;
  private long places;

  Lines(Spaces spaces, Parties parties, LeaseEvents events, Grants grants) {
    this.spaces = spaces;
    this.parties = parties;
    this.deadlocks = new Deadlocks(parties);
    this.events = events;
    this.grants = grants;
  }

  /** Refuses with a Failure, before anything is changed, where a line is full or would not move. */
  void join(Acquire wish, Session session, Caller caller, List<LeaseKey> keys, Tx tx) {
    Waiter before = formerSelf(wish, keys);
    Waiter waiter =
        before == null
            ? new Waiter(wish, session, caller, keys, tx.nanos(), places++)
            : new Waiter(wish, session, caller, keys, before.since, before.place);
    if (before == null) {
      admit(waiter);
    } else {
      leave(before);
      before.caller.refuse(callEnded(), tx);
    }
    enter(waiter);
    if (deadlocks.isWaitedFor(waiter)) {
      List<Waiter> circle = deadlocks.circleOf(waiter);
      if (!circle.isEmpty()) {
        leave(waiter);
        events.deadlocked();
        throw Deadlocks.failure(circle);
      }
    }
    Duration patience = wish.patience().orElse(FOR_EVER);
    waiter.timeout = tx.at(tx.nanos() + patience.toNanos(), later -> timeOut(waiter, later));
    keys.forEach(key -> promote(key, tx));
  }

  /** One that stood here until its call broke off; whoever comes back takes its place. */
  private static Waiter formerSelf(Acquire wish, List<LeaseKey> keys) {
    if (!wish.patient()) {
      return null; // no place is kept for it, so there is no need to walk the line
    }
    return keys.get(0).line.stream()
        .filter(w -> w.isAbandoned() && w.party.equals(wish.party()))
        .filter(w -> w.wish.wants().equals(wish.wants()))
        .filter(w -> w.wish.priority() == wish.priority())
        .findFirst()
        .orElse(null);
  }

  private static void admit(Waiter waiter) {
    Space space = waiter.keys.get(0).space;
    space.admitWaiter();
    int most = space.policy().maxWaitersPerKey();
    for (LeaseKey key : waiter.keys) {
      if (key.line.size() >= most) {
        throw new Failure.Exhausted(
            ErrorReason.ERROR_REASON_QUEUE_FULL,
            "key " + key.name.key(),
            most + " wait for " + key.name.key() + " already",
            Duration.ofSeconds(1));
      }
    }
  }

  private void enter(Waiter waiter) {
    waiter.inLine = true;
    for (LeaseKey key : waiter.keys) {
      key.line.add(waiter);
      key.listeners += waiter.caller.stays() ? 1 : 0;
      events.joined(key.line.size());
    }
    if (waiter.session != null) {
      waiter.session.waits.add(waiter);
    }
    parties.waits(waiter);
    waiter.keys.get(0).space.waiters++;
    events.waiting(1);
  }

  /** False if it did not stand in line any more. */
  private boolean leave(Waiter waiter) {
    // Not asked of the line: one that came back has the place of its former self.
    if (!waiter.inLine) {
      return false;
    }
    waiter.inLine = false;
    for (LeaseKey key : waiter.keys) {
      key.line.remove(waiter);
      key.listeners -= waiter.caller.stays() ? 1 : 0;
    }
    if (waiter.timeout != null) {
      waiter.timeout.cancel();
    }
    if (waiter.session != null) {
      waiter.session.waits.remove(waiter);
    }
    parties.waitsNoMore(waiter);
    waiter.keys.get(0).space.waiters--;
    events.waiting(-1);
    return true;
  }

  /** The session's waits end with it. */
  void leaveAll(Session session, Tx tx) {
    for (Waiter waiter : List.copyOf(session.waits)) {
      leave(waiter);
      waiter.caller.refuse(Sessions.notOpen(session.id), tx);
      settle(waiter, tx);
    }
  }

  /** Lets in whoever is first in line, and those behind who go with it. */
  void promote(LeaseKey from, Tx tx) {
    ArrayDeque<LeaseKey> todo = new ArrayDeque<>();
    todo.add(from);
    while (!todo.isEmpty()) {
      LeaseKey key = todo.poll();
      Waiter head = key.head();
      while (head != null && head.isNext(tx.nanos())) {
        if (tx.writes() > MOST_WRITES) {
          todo.addFirst(key);
          List<LeaseKey> rest = List.copyOf(todo);
          tx.at(tx.nanos(), later -> rest.forEach(left -> promote(left, later)));
          return;
        }
        admit(head, tx);
        head.keys.stream().filter(other -> other != key).forEach(todo::add);
        head = key.head();
      }
      tellPositions(key, tx);
    }
  }

  private void admit(Waiter waiter, Tx tx) {
    leave(waiter);
    try {
      Holds.admit(waiter.wish, waiter.keys);
    } catch (Failure.Exhausted full) {
      waiter.caller.refuse(full, tx);
      return;
    }
    long free = tx.nanos() - Math.max(waiter.keys.get(0).freedAt, waiter.since);
    events.handedOff(Math.max(0, free));
    boolean had =
        waiter.keys.size() == 1
            && waiter
                .keys
                .get(0)
                .enterable(waiter.party, waiter.wish.wants().get(0).mode())
                .isPresent();
    List<LeaseView> leases = grants.grant(waiter, tx);
    // It was given the key by another way while it stood in line.
    waiter.caller.answer(
        had ? new Acquired.Reentered(leases.get(0)) : new Acquired.Granted(leases), tx);
  }

  /**
   * Now that the party holds more, those that wait for it may close a circle with its own waits.
   * The youngest of them gives way.
   */
  void breakCircles(Party party, Tx tx) {
    for (Waiter other : List.copyOf(parties.waitsOf(party))) {
      List<Waiter> circle = deadlocks.circleOf(other);
      if (!circle.isEmpty()) {
        Waiter youngest = circle.stream().max(Comparator.comparingLong(w -> w.place)).orElseThrow();
        leave(youngest);
        events.deadlocked();
        youngest.caller.refuse(Deadlocks.failure(circle), tx);
        // Its lines move on in a step of their own; this one is in the middle of a line.
        tx.at(tx.nanos(), later -> settle(youngest, later));
      }
    }
  }

  private static void tellPositions(LeaseKey key, Tx tx) {
    if (key.listeners == 0) {
      return;
    }
    int position = 0;
    for (Waiter waiter : key.line) {
      if (waiter.isAbandoned()) {
        continue;
      }
      position++;
      boolean moved = waiter.told == 0 || Math.abs(waiter.told - position) > position / 10;
      if (waiter.caller.stays() && moved) {
        waiter.told = position;
        waiter.caller.tell(new News.Queued(position, key.views(tx.nanos())), tx);
      }
    }
  }

  /**
   * For callers whose calls have ended. One that may come back keeps its place for a moment, but is
   * passed over meanwhile.
   */
  void abandon(LeaseKey key, Tx tx) {
    for (Waiter waiter : List.copyOf(key.line)) {
      if (waiter.isAbandoned() && waiter.wish.patient()) {
        tx.at(tx.nanos() + PATIENCE.toNanos(), later -> dropIfAbandoned(waiter, later));
      } else {
        dropIfAbandoned(waiter, tx);
      }
    }
    promote(key, tx);
    spaces.forgetIfUnused(key);
  }

  private void dropIfAbandoned(Waiter waiter, Tx tx) {
    if (waiter.isAbandoned() && leave(waiter)) {
      waiter.caller.refuse(callEnded(), tx);
      settle(waiter, tx);
    }
  }

  private static Failure callEnded() {
    return new Failure.Unavailable(
        ErrorReason.ERROR_REASON_CALL_ENDED, "the caller went away", PATIENCE, Map.of());
  }

  private void timeOut(Waiter waiter, Tx tx) {
    if (!waiter.inLine) {
      return;
    }
    if (waiter.isAbandoned()) {
      // It was passed over, maybe at a free key: to tell it later that others had it would be
      // wrong.
      dropIfAbandoned(waiter, tx);
      return;
    }
    Blocked blocked = Blocked.of(waiter, tx.nanos());
    int position = waiter.keys.get(0).positionOf(waiter);
    leave(waiter);
    events.acquired("TIMED_OUT", tx.nanos() - waiter.since);
    waiter.caller.answer(new Acquired.TimedOut(blocked.holders(), blocked.keys(), position), tx);
    settle(waiter, tx);
  }

  /** One that left may have stood before others who go with the holders. */
  private void settle(Waiter gone, Tx tx) {
    gone.keys.forEach(key -> promote(key, tx));
    gone.keys.forEach(spaces::forgetIfUnused);
  }

  /** Takes a waiter out of all order, to be given what it waits for; null if none is its. */
  Waiter pick(LeaseKey key, String ownerId) {
    Waiter found =
        key.line.stream()
            .filter(w -> !w.isAbandoned() && w.keys.size() == 1)
            .filter(w -> w.wish.ownerId().equals(ownerId))
            .findFirst()
            .orElse(null);
    if (found != null) {
      leave(found);
    }
    return found;
  }
}
