package dev.plinth.testkit.lease;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Checks what a watch told against the server's log: every event once and in order, none left out
 * except where a gap says so, and each snapshot the state at one moment of the log, after which the
 * next event follows.
 */
public final class WatchChecker {
  /** Something that a watch told. */
  public sealed interface Told {
    record Snapshot(Set<Long> tokens) implements Told {}

    record Happened(LogEvent.Type type, long token) implements Told {}

    record Gap() implements Told {}
  }

  private static final int UNKNOWN = -1;

  private final List<LogEvent> log;
  private final Map<Told, Integer> places = new HashMap<>();

  private WatchChecker(List<LogEvent> log) {
    this.log = log;
    for (int i = 0; i < log.size(); i++) {
      places.put(new Told.Happened(log.get(i).type(), log.get(i).token()), i);
    }
  }

  /**
   * @param told beginning with a snapshot, up to the last event of the log
   */
  public static void check(List<LogEvent> log, List<Told> told) {
    int next = new WatchChecker(log).check(told, UNKNOWN, log.size());
    require(next == log.size(), "the end was not told", next);
  }

  /**
   * Checks a watch that was ended at any time.
   *
   * @param told beginning with a snapshot; empty if that did not come
   * @param from so many events of the log are known to have happened before the watch was asked for
   */
  public static void checkBegun(List<LogEvent> log, List<Told> told, int from) {
    new WatchChecker(log).check(told, from, UNKNOWN);
  }

  /**
   * @param from the place in the log that the first event has at least; UNKNOWN if it may be any
   * @param end the place in the log that the watch has come to; UNKNOWN if it may be any
   */
  private int check(List<Told> told, int from, int end) {
    int next = from; // the place in the log that the next event must have
    boolean begins = true;
    for (int i = 0; i < told.size(); i++) {
      if (told.get(i) instanceof Told.Gap) {
        require(!begins, "a gap before anything was told", i);
        begins = true;
      } else if (told.get(i) instanceof Told.Snapshot snapshot) {
        require(begins, "a snapshot in the middle, without a gap", i);
        int at = positionAfter(told, i, Math.max(0, next), end);
        require(at >= next, "a snapshot that went back", i);
        require(stateAt(at).equals(snapshot.tokens()), "not the state at " + at, i);
        next = at;
        begins = false;
      } else {
        require(!begins, "an event where a snapshot is due", i);
        Integer place = places.get(told.get(i));
        require(place != null && place == next, told.get(i) + " at " + place + ", not " + next, i);
        next = place + 1;
      }
    }
    return next;
  }

  /** Where the first event after a snapshot stands; the end if there is none. */
  private int positionAfter(List<Told> told, int snapshot, int from, int end) {
    for (int i = snapshot + 1; i < told.size(); i++) {
      if (told.get(i) instanceof Told.Happened) {
        Integer place = places.get(told.get(i));
        require(place != null, told.get(i) + " is not in the log", i);
        return place;
      } else if (told.get(i) instanceof Told.Snapshot) {
        return positionOf((Told.Snapshot) told.get(snapshot), snapshot, from);
      }
    }
    return end == UNKNOWN ? positionOf((Told.Snapshot) told.get(snapshot), snapshot, from) : end;
  }

  /** No event came between two snapshots: the first moment that looks like it will do. */
  private int positionOf(Told.Snapshot snapshot, int index, int from) {
    Set<Long> held = stateAt(from);
    for (int at = from; at <= log.size(); at++) {
      if (held.size() == snapshot.tokens().size() && held.equals(snapshot.tokens())) {
        return at;
      }
      if (at < log.size()) {
        follow(log.get(at), held);
      }
    }
    throw new AssertionError("told[" + index + "]: a state that never was " + snapshot);
  }

  private Set<Long> stateAt(int at) {
    Set<Long> held = new TreeSet<>();
    log.subList(0, at).forEach(event -> follow(event, held));
    return held;
  }

  private static void follow(LogEvent event, Set<Long> held) {
    if (event.isGrant()) {
      held.add(event.token());
    } else {
      held.remove(event.token());
    }
  }

  private static void require(boolean holds, String what, int at) {
    if (!holds) {
      throw new AssertionError("told[" + at + "]: " + what);
    }
  }
}
