package dev.plinth.lease.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Tx;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Who waits for keys. Only the head of a queue is let in, and those behind it who go with it. A set
 * is let in when it is at the head of every queue it stands in. What a caller's going away costs
 * depends on its own waits, not on how many others wait.
 */
final class WaitQueues {
  /** Gives keys to one that waited for them. */
  interface Granter {
    List<LeaseView> grant(Waiter waiter, Tx tx);
  }

  /** Refuses a wish that would go over a quota of its namespace. */
  interface Admission {
    void check(AcquireSpec spec, List<LeaseKey> keys);
  }

  // How long a caller whose call broke off keeps its place for a second try.
  static final Duration TIMEOUT = Duration.ofSeconds(2);
  // A store bounds the rows of a commit; what is left of a long hand-off goes into the next.
  static final int MAX_WRITES = 64;

  private final LeaseNamespaces leaseNamespaces;
  private final OwnerIndex ownerIndex;
  private final DeadlockDetector deadlockDetector;
  private final LeaseEvents events;
  private final Granter granter;
  private final Admission admission;
  private final WaiterIndex waiters;
  private long places;

  WaitQueues(
      LeaseNamespaces leaseNamespaces,
      OwnerIndex ownerIndex,
      LeaseEvents events,
      Admission admission,
      Granter granter) {
    this.leaseNamespaces = leaseNamespaces;
    this.ownerIndex = ownerIndex;
    this.deadlockDetector = new DeadlockDetector(ownerIndex);
    this.events = events;
    this.admission = admission;
    this.waiters = new WaiterIndex(ownerIndex, events);
    this.granter = granter;
  }

  /** Refuses with a Failure, before anything is changed, where a line is full or would not move. */
  void join(
      AcquireSpec spec,
      Session session,
      AcquireListener acquireListener,
      List<LeaseKey> keys,
      Tx tx) {
    // Whoever comes back takes the place it had when its call broke off.
    Waiter before = spec.patient() ? waiters.disconnected(spec) : null;
    Waiter waiter =
        before == null
            ? new Waiter(spec, session, acquireListener, keys, tx.nanos(), places++)
            : new Waiter(spec, session, acquireListener, keys, before.since, before.place);
    if (before == null) {
      waiters.admit(waiter);
    } else {
      waiters.leave(before);
      before.acquireListener.refuse(callEnded(), tx);
    }
    waiters.enter(waiter);
    if (deadlockDetector.mayCloseCircle(waiter)) {
      List<Waiter> circle = deadlockDetector.findCycle(waiter);
      if (!circle.isEmpty()) {
        waiters.leave(waiter);
        events.deadlocked();
        throw DeadlockDetector.failure(circle);
      }
    }
    spec.timeout()
        .ifPresent(
            timeout ->
                waiter.timeout =
                    tx.at(tx.nanos() + timeout.toNanos(), later -> timeOut(waiter, later)));
    promote(keys, tx);
    PositionNotifier.notifyFirst(waiter, tx);
  }

  /** Waiters that were looked at for deadlocks so far. */
  long deadlockVisits() {
    return deadlockDetector.visits();
  }

  /** The session's waits end with it. */
  void leaveAll(Session session, Tx tx) {
    Set<LeaseKey> left = new LinkedHashSet<>();
    // All of them before any queue moves, or one would be granted what its session gives up.
    for (Waiter waiter : List.copyOf(session.waits)) {
      waiters.leave(waiter);
      waiter.acquireListener.refuse(Sessions.notOpen(session.id), tx);
      left.addAll(waiter.keys);
    }
    promote(left, tx);
  }

  /**
   * Waits that a new policy can never serve, for a weight above the capacity, are refused; others
   * may find more room.
   */
  void applyPolicy(LeaseNamespace leaseNamespace, Tx tx) {
    Set<LeaseKey> left = new LinkedHashSet<>();
    for (Waiter waiter : List.copyOf(leaseNamespace.waiters())) {
      leaseNamespace
          .policy()
          .aboveCapacity(waiter.spec)
          .ifPresent(
              refusal -> {
                waiters.leave(waiter);
                waiter.acquireListener.refuse(refusal, tx);
              });
      left.addAll(waiter.keys);
    }
    promote(left, tx);
  }

  /**
   * Lets in whoever is first in line for these keys, and those behind who go with it. For keys that
   * somebody left, too: it may have stood before others who go with the holders.
   */
  void promote(Collection<LeaseKey> keys, Tx tx) {
    Deque<LeaseKey> todo = new ArrayDeque<>(keys);
    while (!todo.isEmpty()) {
      LeaseKey key = todo.poll();
      Waiter head = head(key, todo, tx);
      while (head != null && isNext(head, todo, tx)) {
        if (tx.writes() > MAX_WRITES) {
          todo.addFirst(key);
          List<LeaseKey> rest = List.copyOf(todo);
          tx.at(tx.nanos(), later -> promote(rest, later));
          return;
        }
        admit(head, tx);
        addOthers(head, key, todo);
        head = head(key, todo, tx);
      }
      PositionNotifier.notifyWaiters(key, tx);
      leaseNamespaces.forgetIfUnused(key);
    }
  }

  /**
   * The first in line whose caller listens; null if there is none. Those found before it whose
   * callers are gone are put aside, each once.
   */
  private Waiter head(LeaseKey key, Deque<LeaseKey> moved, Tx tx) {
    for (Waiter first = key.queue.first(); first != null; first = key.queue.first()) {
      if (!first.isAbandoned()) {
        return first;
      }
      putAside(first, tx);
      addOthers(first, key, moved);
    }
    return null;
  }

  private static void addOthers(Waiter waiter, LeaseKey key, Deque<LeaseKey> todo) {
    for (LeaseKey other : waiter.keys) {
      if (other != key) {
        todo.add(other);
      }
    }
  }

  /** Has every key's queue before it to itself, and could have every key. */
  private boolean isNext(Waiter waiter, Deque<LeaseKey> moved, Tx tx) {
    for (LeaseKey key : waiter.keys) {
      if (head(key, moved, tx) != waiter
          || !key.isOpenTo(waiter.requestOf(key), waiter.leaseOwner, tx.nanos())) {
        return false;
      }
    }
    return true;
  }

  /** Puts aside those at the heads of these queues whose callers are gone. */
  void refreshHeads(List<LeaseKey> keys, Tx tx) {
    Deque<LeaseKey> moved = new ArrayDeque<>();
    keys.forEach(key -> head(key, moved, tx));
    if (!moved.isEmpty()) {
      // In a step of their own: this one may still be refused, and must have changed nothing then.
      tx.at(tx.nanos(), later -> promote(moved, later));
    }
  }

  private void admit(Waiter waiter, Tx tx) {
    waiters.leave(waiter);
    try {
      admission.check(waiter.spec, waiter.keys);
    } catch (Failure.Exhausted full) {
      waiter.acquireListener.refuse(full, tx);
      return;
    }
    long free = tx.nanos() - Math.max(waiter.keys.get(0).freedAt, waiter.since);
    events.transferred(Math.max(0, free));
    boolean had =
        waiter.keys.size() == 1
            && waiter
                .keys
                .get(0)
                .enterable(waiter.leaseOwner, waiter.spec.wants().get(0).leaseMode())
                .isPresent();
    List<LeaseView> leases = granter.grant(waiter, tx);
    // It was given the key by another way while it stood in line.
    waiter.acquireListener.answer(
        had ? new AcquireResult.Reentered(leases.get(0)) : new AcquireResult.Granted(leases), tx);
  }

  /**
   * Now that the party holds the key, those that wait for it may close circles with its own waits.
   * The youngest of each gives way.
   */
  void breakCycles(LeaseOwner leaseOwner, LeaseKey key, Tx tx) {
    Set<LeaseKey> left = new LinkedHashSet<>();
    // Only one that waits for this key can close a new circle, and not one of its own.
    boolean mayBeMore = true;
    while (mayBeMore
        && ownerIndex.isWaiting(leaseOwner)
        && key.queue.size() > ownerIndex.waitsOn(leaseOwner, key)) {
      // One by one: of those that are found together, some end with the first.
      List<List<LeaseKey>> opened =
          deadlockDetector
              .findCyclesThrough(leaseOwner)
              .filter(WaitQueues::isWhole)
              .map(circle -> open(circle, tx))
              .toList();
      opened.forEach(left::addAll);
      mayBeMore = !opened.isEmpty();
    }
    if (!left.isEmpty()) {
      // The queues move on in a step of their own; this one is in the middle of a queue.
      tx.at(tx.nanos(), later -> promote(left, later));
    }
  }

  /** Whether it is still closed after others were opened. */
  private static boolean isWhole(List<Waiter> circle) {
    return circle.stream().allMatch(waiter -> waiter.inLine);
  }

  /** The keys that the youngest no longer waits for. */
  private List<LeaseKey> open(List<Waiter> circle, Tx tx) {
    Waiter youngest = circle.stream().max(Comparator.comparingLong(w -> w.place)).orElseThrow();
    waiters.leave(youngest);
    events.deadlocked();
    youngest.acquireListener.refuse(DeadlockDetector.failure(circle), tx);
    return youngest.keys;
  }

  /**
   * For a caller whose call has ended. One that may come back keeps its place for a moment, but is
   * passed over meanwhile. False if it did not stand in line.
   */
  boolean abandon(AcquireSpec spec, Tx tx) {
    Waiter waiter = waiterOf(spec).orElse(null);
    if (waiter == null) {
      return false;
    }
    if (waiter.isAbandoned()) {
      putAside(waiter, tx);
      promote(waiter.keys, tx);
    }
    return true;
  }

  private void putAside(Waiter waiter, Tx tx) {
    if (!waiter.spec.patient()) {
      waiters.leave(waiter);
      waiter.acquireListener.refuse(callEnded(), tx);
    } else if (!waiter.isDisconnected()) {
      Tx.Timer until =
          tx.at(tx.nanos() + TIMEOUT.toNanos(), later -> dropIfAbandoned(waiter, later));
      waiters.disconnect(waiter, until);
    }
  }

  /** For a caller that is back in line, and may find its keys free. */
  void rejoin(AcquireSpec spec, Tx tx) {
    waiterOf(spec)
        .filter(waiter -> waiter.isDisconnected() && !waiter.isAbandoned())
        .ifPresent(waiter -> resumePosition(waiter, tx));
  }

  private void resumePosition(Waiter waiter, Tx tx) {
    waiters.reconnect(waiter);
    promote(waiter.keys, tx);
  }

  private void dropIfAbandoned(Waiter waiter, Tx tx) {
    if (!waiter.inLine) {
      return;
    }
    if (waiter.isAbandoned()) {
      waiters.leave(waiter);
      waiter.acquireListener.refuse(callEnded(), tx);
      promote(waiter.keys, tx);
    } else if (waiter.isDisconnected()) {
      resumePosition(waiter, tx);
    }
  }

  private static Failure callEnded() {
    return new Failure.Unavailable(
        ErrorReason.ERROR_REASON_CALL_ENDED, "the caller went away", TIMEOUT, Map.of());
  }

  /** Ends the wait of a request as if its time were over; does nothing if it does not wait. */
  void cancel(AcquireSpec spec, Tx tx) {
    waiterOf(spec)
        .ifPresent(
            waiter -> {
              waiter.acquireListener.cancelled();
              timeOut(waiter, tx);
            });
  }

  private Optional<Waiter> waiterOf(AcquireSpec spec) {
    return leaseNamespaces
        .find(spec.namespace())
        .map(leaseNamespace -> leaseNamespace.waiter(spec.callId()));
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
    AcquireBlockers acquireBlockers = AcquireBlockers.of(waiter, tx.nanos());
    int position = waiter.keys.get(0).queue.positionOf(waiter);
    waiters.leave(waiter);
    events.acquired("TIMED_OUT", tx.nanos() - waiter.since);
    waiter.acquireListener.answer(
        new AcquireResult.TimedOut(
            acquireBlockers.holders(),
            acquireBlockers.holderCount(),
            acquireBlockers.keys(),
            position),
        tx);
    promote(waiter.keys, tx);
  }

  /**
   * Takes a waiter out of all order, to be given what it waits for once a hold has ended; null if
   * none is its, or others hold the key too.
   */
  Waiter pick(LeaseKey key, Hold ending, String ownerId) {
    if (key.holders.size() != 1 || key.holders.get(ending.token) != ending) {
      return null;
    }
    Waiter found = key.queue.firstOf(ownerId);
    if (found != null) {
      waiters.leave(found);
    }
    return found;
  }
}
