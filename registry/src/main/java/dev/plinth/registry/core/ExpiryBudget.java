package dev.plinth.registry.core;

import java.util.PriorityQueue;

/**
 * How many members of a group may expire: within a ttl no more than 15 % of those that were there,
 * and one at least. Each that expired counts for the ttl of its session.
 */
final class ExpiryBudget {
  static final int PERCENT = 15;

  private final PriorityQueue<Long> countUntil = new PriorityQueue<>();

  /** How many expired within their ttl until now. */
  int expired(long now) {
    while (!countUntil.isEmpty() && countUntil.peek() - now <= 0) {
      countUntil.poll();
    }
    return countUntil.size();
  }

  /**
   * @param there how many members the group has
   */
  int limit(int there, long now) {
    return Math.max(1, (there + expired(now)) * PERCENT / 100);
  }

  boolean allows(int there, long now) {
    return expired(now) < limit(there, now);
  }

  /** When fewer will count; only while some do. */
  long nextFree() {
    return countUntil.element();
  }

  void spend(long until) {
    countUntil.add(until);
  }
}
