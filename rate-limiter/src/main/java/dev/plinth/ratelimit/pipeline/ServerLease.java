package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.pipeline.Decision.LimitStatus;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Budget that was charged in advance, for this node to spend from memory until a deadline. Every
 * unit is spent once or returned once: whoever ends the lease learns what is left, and from then on
 * nothing can be spent.
 */
final class ServerLease {
  private static final long ENDED = -1;

  private final BudgetSet set;
  private final String ticket;
  private final long granted;
  private final long deadline;
  private final List<LimitStatus> limits;
  private final Decision ofOne;
  private final AtomicLong left;
  private final AtomicLong counted = new AtomicLong();
  private final AtomicBoolean low = new AtomicBoolean();
  private long seen;

  /**
   * @param deadline on the monotonic clock, counted from before it was requested
   * @param limits as the store saw them once it was charged
   */
  ServerLease(BudgetSet set, String ticket, long granted, long deadline, List<LimitStatus> limits) {
    this.set = set;
    this.ticket = ticket;
    this.granted = granted;
    this.deadline = deadline;
    this.limits = limits;
    this.ofOne = decision(1);
    this.left = new AtomicLong(granted);
    this.seen = granted;
  }

  /** False if there is not so much left, or it is over. */
  boolean spend(long cost, long now) {
    if (isExpired(now)) {
      return false;
    }
    for (long l = left.get(); l >= cost; l = left.get()) {
      if (left.compareAndSet(l, l - cost)) {
        return true;
      }
    }
    return false;
  }

  /**
   * What it has left is what the store said was left beside it: the lease itself is this node's.
   */
  Decision decision(long cost) {
    return cost == 1 && ofOne != null
        ? ofOne
        : Decisions.allowed(set, cost, limits, DecidedBy.LEASE);
  }

  /** A quarter is left, or less. */
  boolean isNearlySpent() {
    return left.get() * 4 <= granted;
  }

  /** True once, when it is nearly spent: time to ask for the next. */
  boolean isLow() {
    return isNearlySpent() && !low.get() && low.compareAndSet(false, true);
  }

  boolean isExpired(long now) {
    return now - deadline >= 0;
  }

  /** Nothing was spent since the last call; for one thread only. */
  boolean isIdle() {
    long now = left.get();
    boolean idle = now == seen;
    seen = now;
    return idle;
  }

  /** What was not spent; for the first who ends it, {@code -1} for the others. */
  long end() {
    return left.getAndSet(ENDED);
  }

  /** Units spent that nobody has counted yet. */
  long uncounted(long unspent) {
    long spent = granted - unspent;
    return Math.max(0, spent - counted.getAndAccumulate(spent, Math::max));
  }

  long left() {
    return left.get();
  }

  BudgetSet set() {
    return set;
  }

  String ticket() {
    return ticket;
  }

  long granted() {
    return granted;
  }
}
