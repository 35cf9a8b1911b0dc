package dev.plinth.simulation.kernel;

import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/** Events by virtual time. Those of one moment come in an order that the seed decides. */
final class EventQueue {
  private final PriorityQueue<ScheduledEvent> events = new PriorityQueue<>();
  private final SplittableRandom ties;
  private long sequence;

  EventQueue(SplittableRandom ties) {
    this.ties = ties;
  }

  ScheduledEvent add(SimulatedProcess owner, long time, Runnable task) {
    return insert(new ScheduledEvent(owner, task, time, ties.nextLong() >>> 1, sequence++));
  }

  /** Before all others of its moment, in the order of the calls: for what was held back. */
  ScheduledEvent addFirst(SimulatedProcess owner, long time, Runnable task) {
    return insert(new ScheduledEvent(owner, task, time, -1, sequence++));
  }

  private ScheduledEvent insert(ScheduledEvent event) {
    events.add(event);
    return event;
  }

  /** The next one that is due by then; cancelled ones are dropped on the way. */
  Optional<ScheduledEvent> poll(long until) {
    while (!events.isEmpty()) {
      if (events.peek().isCancelled()) {
        events.poll();
      } else {
        return events.peek().time() <= until ? Optional.of(events.poll()) : Optional.empty();
      }
    }
    return Optional.empty();
  }

  int size() {
    return events.size();
  }
}
