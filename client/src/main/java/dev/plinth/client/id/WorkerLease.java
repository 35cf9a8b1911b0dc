package dev.plinth.client.id;

import dev.plinth.client.internal.ClientWire;
import dev.plinth.client.internal.LocalDeadline;
import dev.plinth.id.v1.Worker;
import java.time.Duration;

/**
 * A worker id in this client's hands, in one epoch. Which it is and what it starts above never
 * changes; up to when and how high it may be used is moved on by renewals.
 */
final class WorkerLease {
  /**
   * What the last renewal allows.
   *
   * @param deadline no id after it, on the monotonic clock
   * @param ceilingMs no id with a time above it
   */
  record RenewalTerms(long deadline, long ceilingMs, long maxAheadMs) {}

  private final Worker granted;
  private final SnowflakeLayout layout;
  private final long lowestPlace;
  private final Duration interval;
  private volatile RenewalTerms terms;
  private volatile RenewalTerms overdue;

  /**
   * @param granted the server's answer to what was asked first at {@code askedAt}
   * @param last the highest place used before, maybe of another worker id
   */
  WorkerLease(Worker granted, long askedAt, long last) {
    this.granted = granted;
    this.layout = SnowflakeLayout.of(granted.getLayout());
    // In a unit that was used before, ids of a lower worker would not rise.
    long unit = Math.max(layout.unit(granted.getFloorMs()) + 1, layout.unitOf(last) + 1);
    this.lowestPlace = layout.firstPosition(Math.max(0, unit));
    this.interval = localDeadline(granted).dividedBy(3);
    this.terms = terms(granted, askedAt);
  }

  private static RenewalTerms terms(Worker granted, long askedAt) {
    return new RenewalTerms(
        askedAt + localDeadline(granted).toNanos(),
        granted.getCeilingMs(),
        ClientWire.duration(granted.getMaxAhead()).toMillis());
  }

  private static Duration localDeadline(Worker granted) {
    return LocalDeadline.window(ClientWire.duration(granted.getTtl()));
  }

  /** The server had it renewed, as of a request sent then. On the event loop alone. */
  void renewed(Worker kept, long sentAt) {
    RenewalTerms next = terms(kept, sentAt);
    RenewalTerms known = terms;
    boolean later = next.deadline - known.deadline > 0;
    terms =
        new RenewalTerms(
            later ? next.deadline : known.deadline,
            Math.max(next.ceilingMs, known.ceilingMs),
            next.maxAheadMs);
  }

  int worker() {
    return granted.getWorkerId();
  }

  long epoch() {
    return granted.getEpoch();
  }

  long floorMs() {
    return granted.getFloorMs();
  }

  SnowflakeLayout layout() {
    return layout;
  }

  long firstPosition() {
    return lowestPlace;
  }

  /** A third of what may be believed: two renewals may fail before the third must not. */
  Duration interval() {
    return interval;
  }

  RenewalTerms terms() {
    return terms;
  }

  /** Somebody has seen the deadline pass, so that others need not take places to see it too. */
  boolean isOverdue() {
    return overdue == terms;
  }

  void setOverdue(RenewalTerms seen) {
    overdue = seen;
  }
}
