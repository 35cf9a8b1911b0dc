package dev.plinth.ratelimit.core;

import dev.plinth.ratelimit.core.Operation.ReleaseSlot;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Releases slots that the store gave and nobody holds. What the store does not answer is sent
 * again, until the slot has run out anyway.
 */
final class SlotReturns {
  /** Beyond this a slot is released once, and else runs out. */
  private static final int MOST = 10_000;

  private record Unheld(String domain, String slot) {}

  private final Way way;
  private final Map<Unheld, Long> unanswered = new ConcurrentHashMap<>();

  SlotReturns(Way way) {
    this.way = way;
  }

  /**
   * @param ttl of the slot, in microseconds
   */
  void giveBack(String domain, String slot, long ttl) {
    release(new Unheld(domain, slot), way.now() + TimeUnit.MICROSECONDS.toNanos(ttl));
  }

  private void release(Unheld unheld, long until) {
    way.send(unheld.domain, unheld.slot.hashCode(), Request.of(new ReleaseSlot(unheld.slot)))
        .whenComplete(
            (outcome, failure) -> {
              if (failure == null) {
                unanswered.remove(unheld);
              } else if (unanswered.size() < MOST) {
                unanswered.put(unheld, until);
              }
            });
  }

  void retry() {
    long now = way.now();
    unanswered.values().removeIf(until -> now - until >= 0);
    unanswered.forEach(this::release);
  }
}
