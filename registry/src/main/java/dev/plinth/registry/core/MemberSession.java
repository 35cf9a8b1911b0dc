package dev.plinth.registry.core;

import dev.plinth.shards.Tx;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

/** A process's sign of life and the members that live by it. */
final class MemberSession {
  /** How it is stored. */
  enum State {
    OPEN,
    SUSPECT,
    CLOSED
  }

  final SessionKey key;
  final String client;
  final Duration ttl;
  final Set<Member> members = new LinkedHashSet<>();

  /** Members that it had and did not end itself. */
  final Set<MemberName> lost = new LinkedHashSet<>();

  final Set<SessionKeeper> keepers = new LinkedHashSet<>();

  /** Calls that closed it, to be told how many members left once all have. */
  final List<BiConsumer<Integer, Tx>> closers = new ArrayList<>(0);

  State state = State.OPEN;

  /** When it came into its state, by the wall clock. */
  Instant since;

  /** When it was last heard of, or taken over. */
  long lastBeat;

  /** Whether this owner of the shard has heard of it. */
  boolean heard;

  /** The stream that brought the last beat; null if a call did. */
  SessionKeeper beatenBy;

  /** While it is SUSPECT: when its members die. */
  long deadAt;

  /** Its members are to die; some may be held back. */
  boolean overdue;

  /** Time was given back for a late timer since its last beat. */
  boolean excused;

  /** It was heard of while SUSPECT, and is about to be OPEN. */
  boolean reviving;

  /** Members that left since it was closed. */
  int left;

  /** Its devices in rooms; null if it has tracked none. */
  SessionPresences presences;

  Tx.Timer timer;

  MemberSession(SessionKey key, String client, Duration ttl) {
    this.key = key;
    this.client = client;
    this.ttl = ttl;
  }

  boolean isSuspect() {
    return state == State.SUSPECT;
  }

  long deadline() {
    return isSuspect() ? deadAt : lastBeat + ttl.toNanos();
  }

  void cancelTimer() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  void endPresences(Tx tx) {
    SessionPresences ended = presences;
    presences = null;
    if (ended != null) {
      ended.end(tx);
    }
  }

  BeatResult told(long presenceEpoch) {
    return new BeatResult(
        ttl,
        members.size(),
        lost.stream().limit(BeatResult.MAX_LOST).toList(),
        presences == null ? 0 : presences.devices.size(),
        presenceEpoch);
  }
}
