package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.Operation.ReleaseSlot;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Releases slots that the store gave and nobody holds. What the store does not answer is sent
 * again, until the slot has run out anyway.
 */
final class UnheldSlotReleaser {
  /** Beyond this a slot is released once, and else runs out. */
  private static final int MAX = 10_000;

  private record UnheldSlot(String domain, String slot) {}

  private final DecisionPipeline pipeline;
  private final Map<UnheldSlot, Long> unanswered = new ConcurrentHashMap<>();

  UnheldSlotReleaser(DecisionPipeline pipeline) {
    this.pipeline = pipeline;
  }

  /**
   * @param ttl of the slot, in microseconds
   */
  void release(String domain, String slot, long ttl) {
    send(new UnheldSlot(domain, slot), pipeline.now() + TimeUnit.MICROSECONDS.toNanos(ttl));
  }

  private void send(UnheldSlot unheld, long until) {
    pipeline
        .send(unheld.domain, unheld.slot.hashCode(), BudgetRequest.of(new ReleaseSlot(unheld.slot)))
        .whenComplete(
            (outcome, failure) -> {
              if (failure == null) {
                unanswered.remove(unheld);
              } else if (unanswered.size() < MAX) {
                unanswered.put(unheld, until);
              }
            });
  }

  void retry() {
    long now = pipeline.now();
    unanswered.values().removeIf(until -> now - until >= 0);
    unanswered.forEach(this::send);
  }
}
