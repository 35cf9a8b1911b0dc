package dev.plinth.registry.core;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A process that shares partitions, as its own side sees it: what it acts for, by what it was told.
 * It stops to act before it says so, and when it was silent for so long that it may be declared
 * dead.
 */
final class PartitionProcess {
  private static final long DEAD_AFTER = 2 * CoreTest.TTL.toNanos();

  final SessionKey session;
  final int number;
  final boolean lazy;

  /** By partition, the token that it acts with. */
  final Map<Integer, Long> acts = new HashMap<>();

  /** Partitions that were revoked from it and that it did not release yet, with their tokens. */
  final Map<Integer, Long> toRelease = new HashMap<>();

  /** Tokens that it let go of: it does not act with them again, whatever it hears late. */
  final Set<Long> over = new HashSet<>();

  long lastBeat;
  boolean stopped;

  /**
   * @param lazy it seldom releases anything
   */
  PartitionProcess(SessionKey session, int number, long now, boolean lazy) {
    this.session = session;
    this.number = number;
    this.lastBeat = now;
    this.lazy = lazy;
  }

  /** It stops by itself when its time is over. */
  void checkTime(long now) {
    if (now - lastBeat >= DEAD_AFTER) {
      stop();
    }
  }

  /** It acts for nothing any more, ever. */
  void stop() {
    stopped = true;
    acts.clear();
    toRelease.clear();
  }

  /** It left the group, and may join again. */
  void letGo() {
    over.addAll(acts.values());
    over.addAll(toRelease.values());
    acts.clear();
    toRelease.clear();
  }

  void assigned(int partition, long token) {
    if (!stopped && !over.contains(token)) {
      acts.put(partition, token);
    }
  }

  void revoked(int partition, long token) {
    if (!stopped && !over.contains(token)) {
      toRelease.put(partition, token);
    }
  }

  /** Before it says so. */
  void stopsFor(int partition) {
    Long token = acts.remove(partition);
    if (token != null) {
      over.add(token);
    }
  }

  /** Somebody else has it, or nobody. */
  void lost(int partition) {
    acts.remove(partition);
    toRelease.remove(partition);
  }
}
