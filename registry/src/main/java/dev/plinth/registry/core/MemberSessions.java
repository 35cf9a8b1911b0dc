package dev.plinth.registry.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Tx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * The sessions of a shard and what their silence leads to. A beat only moves a deadline in memory.
 * The timer that finds it moved sets itself again, so a beat costs the same however many sessions
 * there are. What follows from a beat or a broken stream is decided by a timer that is due at once,
 * since timers wait while the store takes no writes and a beat must not.
 */
public final class MemberSessions {
  /** Members of one session. */
  static final int MAX_MEMBERS = 1000;

  // A timer that is later than this is not held against a session: its beats may be late alike.
  private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final MemberTable table;
  private final long presenceEpoch;
  private final List<SessionEndListener> listeners = new ArrayList<>(1);

  MemberSessions(MemberTable table, long presenceEpoch) {
    this.table = table;
    this.presenceEpoch = presenceEpoch;
  }

  /** Tells of every session that ends from now on. */
  public void onEnd(SessionEndListener listener) {
    listeners.add(listener);
  }

  public boolean isOpen(SessionKey key) {
    return find(key) != null;
  }

  /** A new session, which has its full time from now on. */
  public OpenedSession open(String namespace, String client, Duration ttl, Tx tx) {
    table.find(namespace).ifPresent(RegistryNamespace::admitSession);
    long incarnation = tx.token();
    String id = "s-" + Long.toString(incarnation, Character.MAX_RADIX);
    MemberSession session =
        new MemberSession(new SessionKey(namespace, id, incarnation), client, ttl);
    session.since = table.time();
    session.heard = true;
    put(session, tx);
    add(session, tx);
    return new OpenedSession(id, incarnation, ttl, presenceEpoch);
  }

  private static void put(MemberSession session, Tx tx) {
    tx.put(RegistryRows.keyOf(session), RegistryRows.encode(session));
  }

  /** It has its full time from now on; one that was closing goes on with that. */
  void add(MemberSession session, Tx tx) {
    table.namespace(session.key.namespace()).sessions.put(session.key.id(), session);
    table.events.sessions(1);
    session.lastBeat = tx.nanos();
    session.deadAt = tx.nanos() + session.ttl.toNanos();
    if (session.state == MemberSession.State.CLOSED) {
      tx.at(tx.nanos(), later -> leaveSome(session, later));
    } else {
      arm(session, tx);
    }
  }

  /**
   * Hears of a session. Creates nothing.
   *
   * @param by the stream that the beat came with; null for a call
   */
  public BeatResult beat(SessionKey key, SessionKeeper by, Tx tx) {
    MemberSession session = find(key);
    table.events.beat(session != null);
    if (session == null) {
      throw unknown(key);
    }
    session.beatenBy = by;
    heard(session, tx);
    return session.told(presenceEpoch);
  }

  private void heard(MemberSession session, Tx tx) {
    session.lastBeat = tx.nanos();
    session.heard = true;
    session.excused = false;
    if (session.isSuspect()) {
      session.deadAt = tx.nanos() + 2 * session.ttl.toNanos();
      session.overdue = false;
      session.members.forEach(table::unhold);
      if (!session.reviving) {
        session.reviving = true;
        tx.at(tx.nanos(), later -> revive(session, later));
      }
      if (session.timer == null) {
        arm(session, tx);
      }
    }
  }

  /** A session that registers a member is heard of, and alive with the same commit. */
  void registers(MemberSession session, Tx tx) {
    heard(session, tx);
    revive(session, tx);
  }

  private void revive(MemberSession session, Tx tx) {
    if (session.reviving && session.isSuspect()) {
      become(session, MemberSession.State.OPEN, tx);
      table.events.sessionBecame(MemberState.ALIVE);
    }
    session.reviving = false;
  }

  private void suspect(MemberSession session, long deadAt, Tx tx) {
    session.deadAt = deadAt;
    become(session, MemberSession.State.SUSPECT, tx);
    table.events.sessionBecame(MemberState.SUSPECT);
  }

  /** One row says it of all its members. */
  private void become(MemberSession session, MemberSession.State state, Tx tx) {
    session.state = state;
    session.since = table.time();
    put(session, tx);
    session.members.forEach(member -> table.changed(member, tx));
    session.cancelTimer();
    arm(session, tx);
  }

  private void arm(MemberSession session, Tx tx) {
    session.timer = tx.at(session.deadline(), later -> check(session, later));
  }

  /** Its time may be over. */
  void check(MemberSession session, Tx tx) {
    session.timer = null;
    long late = tx.nanos() - session.deadline();
    long ttl = session.ttl.toNanos();
    if (late < 0) {
      arm(session, tx);
    } else if (!session.isSuspect()) {
      // From now and not from when it was due: a late timer leaves it a full ttl to be heard in.
      suspect(session, tx.nanos() + ttl, tx);
    } else if (late > LATE_NANOS && !session.excused) {
      session.excused = true;
      session.deadAt = tx.nanos() + Math.min(late, ttl);
      table.events.excused();
      arm(session, tx);
    } else {
      expire(session, tx);
    }
  }

  /** Its members are to die; each group decides how many may at once. */
  private void expire(MemberSession session, Tx tx) {
    session.overdue = true;
    listeners.forEach(listener -> listener.ended(session.key, true, tx));
    Set<MemberGroup> groups = new LinkedHashSet<>();
    for (Member member : session.members) {
      table.hold(member, tx);
      groups.add(member.group);
    }
    removeIfOver(session, tx);
    groups.forEach(group -> group.expireSome(this::die, tx));
  }

  void die(Member member, MemberEnd.Cause cause, Tx tx) {
    MemberSession session = member.session;
    table.end(member, MemberEnd.by(cause), tx);
    lose(session, member.name);
    removeIfOver(session, tx);
  }

  /** A session loses a member that it did not end itself. */
  void lose(MemberSession session, MemberName name) {
    if (session.lost.size() < MAX_MEMBERS) {
      session.lost.add(name);
    }
  }

  /** A session that is overdue ends with the last of its members. */
  void removeIfOver(MemberSession session, Tx tx) {
    if (session.overdue && session.members.isEmpty()) {
      remove(session, tx);
    }
  }

  /** Tells how many members left when all have; none if it was not open. */
  public void close(SessionKey key, BiConsumer<Integer, Tx> done, Tx tx) {
    MemberSession session = findAny(key);
    if (session == null) {
      done.accept(0, tx);
      return;
    }
    session.closers.add(done);
    if (session.state != MemberSession.State.CLOSED) {
      session.state = MemberSession.State.CLOSED;
      session.overdue = false;
      session.cancelTimer();
      session.members.forEach(table::unhold);
      session.endPresences(tx);
      leaveSome(session, tx);
    }
  }

  /**
   * Its row goes with the last of its members. If that takes another commit, the row says from this
   * one on that it is closed: whoever takes over in between must not let it live.
   */
  private void leaveSome(MemberSession session, Tx tx) {
    while (!session.members.isEmpty()) {
      if (tx.writes() >= MemberGroup.MAX_WRITES) {
        put(session, tx);
        tx.at(tx.nanos(), later -> leaveSome(session, later));
        return;
      }
      table.end(
          session.members.iterator().next(), MemberEnd.by(MemberEnd.Cause.SESSION_CLOSED), tx);
      session.left++;
    }
    remove(session, tx);
    session.closers.forEach(closer -> closer.accept(session.left, tx));
  }

  private void remove(MemberSession session, Tx tx) {
    session.cancelTimer();
    if (!session.overdue) {
      listeners.forEach(listener -> listener.ended(session.key, false, tx));
    }
    session.state = MemberSession.State.CLOSED;
    RegistryNamespace namespace = table.namespace(session.key.namespace());
    namespace.sessions.remove(session.key.id(), session);
    table.forgetIfUnused(namespace);
    session.endPresences(tx);
    tx.delete(RegistryRows.keyOf(session));
    table.partitions.sessionEnded(session.key.namespace(), session.key.id(), tx);
    table.events.sessions(-1);
    List.copyOf(session.keepers).forEach(keeper -> keeper.ended(tx));
  }

  /** Tells the keeper when the session ends. */
  public void keep(SessionKey key, SessionKeeper keeper) {
    require(key).keepers.add(keeper);
  }

  /** The keeper's stream ended in good order; its session may go on without it. */
  public void leave(SessionKey key, SessionKeeper keeper) {
    MemberSession session = find(key);
    if (session != null) {
      session.keepers.remove(keeper);
    }
  }

  /** The keeper's stream broke. If it brought the last beat, the session is SUSPECT. */
  public void broken(SessionKey key, SessionKeeper keeper, Tx tx) {
    MemberSession session = find(key);
    if (session != null && session.keepers.remove(keeper) && session.beatenBy == keeper) {
      session.reviving = false;
      tx.at(tx.nanos(), later -> suspectIfNotHeard(session, keeper, later));
    }
  }

  private void suspectIfNotHeard(MemberSession session, SessionKeeper keeper, Tx tx) {
    if (session.state == MemberSession.State.OPEN && session.beatenBy == keeper) {
      suspect(session, session.lastBeat + 2 * session.ttl.toNanos(), tx);
    }
  }

  /** Null if it is not open in this incarnation. */
  private MemberSession find(SessionKey key) {
    MemberSession session = findAny(key);
    return session == null || session.state == MemberSession.State.CLOSED ? null : session;
  }

  private MemberSession findAny(SessionKey key) {
    MemberSession session =
        table.find(key.namespace()).map(space -> space.sessions.get(key.id())).orElse(null);
    return session == null || !session.key.equals(key) ? null : session;
  }

  MemberSession require(SessionKey key) {
    MemberSession session = find(key);
    if (session == null) {
      throw unknown(key);
    }
    return session;
  }

  private static Failure unknown(SessionKey key) {
    return new Failure.Missing(
        ErrorReason.ERROR_REASON_SESSION_UNKNOWN, new Failure.Resource("session", key.id()));
  }
}
