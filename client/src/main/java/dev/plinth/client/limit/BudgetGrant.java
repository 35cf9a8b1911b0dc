package dev.plinth.client.limit;

import java.util.concurrent.atomic.AtomicLong;

/**
 * One lease in hand. It was charged in full before it came here, so what matters is that no unit of
 * it is spent twice, or spent here after it was given back: one counter decides both.
 */
final class BudgetGrant {
  static final BudgetGrant NONE = new BudgetGrant("", 0, 0, 0);
  private static final long GIVEN_BACK = -1;
  private static final long MARGIN_PARTS = 10;
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private final String id;
  private final long granted;
  private final long since;
  private final long validFor;
  private final AtomicLong left;

  /**
   * @param since before the request was sent, on the monotonic clock
   */
  BudgetGrant(String id, long granted, long since, long validFor) {
    this.id = id;
    this.granted = granted;
    this.since = since;
    this.validFor = validFor;
    this.left = new AtomicLong(granted);
  }

  String id() {
    return id;
  }

  /**
   * What is left after the payment, or below 0 if there was not enough. The clock is for the payer
   * to look at afterwards: a thread may sleep between a look before and the payment.
   */
  long take(long cost) {
    long before = left.get();
    while (before >= cost) {
      if (left.compareAndSet(before, before - cost)) {
        return before - cost;
      }
      before = left.get();
    }
    return -1;
  }

  boolean has(long cost) {
    return left.get() >= cost;
  }

  /** No payment is good from then on; the margin leaves time to give the rest back. */
  boolean isEnded(long now) {
    return now - deadline() >= 0;
  }

  long deadline() {
    return since + validFor - validFor / MARGIN_PARTS;
  }

  /** Until the service forgets it, as far as is known here. */
  long validFor() {
    return validFor;
  }

  /** Half of it, or half of its time, is used. */
  boolean runsLow(long rest, long now) {
    return rest <= granted / 2 || now - since >= validFor / 2;
  }

  /** How fast it is being spent. */
  long perSecond(long now) {
    long used = granted - Math.max(0, left.get());
    return (long) ((double) used * NANOS_PER_SECOND / Math.max(1, now - since));
  }

  /** Ends all spending. Returns what was not spent, or below 0 if it was ended before. */
  long end() {
    return left.getAndSet(GIVEN_BACK);
  }
}
