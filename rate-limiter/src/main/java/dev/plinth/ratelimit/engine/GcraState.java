package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.RowTextReader;
import dev.plinth.ratelimit.store.Outcome;

/**
 * A bucket that is full, or a paced budget that is free, at {@code tat + rest / den}: the
 * theoretical arrival time of GCRA. What is used is the time until it has all been refilled, in
 * microseconds times {@code den}. It is stored as whole microseconds and the rest's numerator, so
 * nothing is ever rounded.
 */
record GcraState(Limit.Refilled limit, long tat, long rest) implements LimitState {
  private long used(long now) {
    return tat < now ? 0 : (tat - now) * limit.den() + rest;
  }

  private GcraState with(long used, long now) {
    return new GcraState(limit, now + used / limit.den(), used % limit.den());
  }

  /** Used and so many units more, up to {@link Limit#DEBT}. */
  private long plus(long used, long units) {
    long num = limit.num();
    return units > (Limit.DEBT - used) / num ? Math.max(used, Limit.DEBT) : used + units * num;
  }

  private long micros(long used) {
    return -Math.floorDiv(-used, limit.den());
  }

  private boolean isPaced() {
    return limit instanceof Limit.Paced;
  }

  @Override
  public LimitState afterClockStep(long last, long now) {
    return new GcraState(limit, tat + now - last, rest);
  }

  @Override
  public long available(long now) {
    long used = used(now);
    return isPaced()
        ? (used == 0 ? 1 : 0)
        : Math.floorDiv(limit.size() * limit.num() - used, limit.num());
  }

  /** A paced budget admits one check of any cost. */
  @Override
  public long countAdmitted(long cost, long now) {
    return isPaced() ? available(now) : LimitState.super.countAdmitted(cost, now);
  }

  @Override
  public long retry(long cost, long now) {
    if (isPaced()) {
      return reset(now);
    } else if (cost > limit.size()) {
      return Outcome.NEVER;
    }
    return Math.max(0, micros(used(now) + (cost - limit.size()) * limit.num()));
  }

  @Override
  public boolean canReserve() {
    return true;
  }

  @Override
  public long reset(long now) {
    return micros(used(now));
  }

  /** A paced budget has no size: it owes one check at the most. */
  @Override
  public long debtRoom(long amount, long now) {
    return isPaced()
        ? (reset(now) <= micros(plus(0, amount)) ? amount : 0)
        : LimitState.super.debtRoom(amount, now);
  }

  @Override
  public LimitState charge(long amount, long now) {
    return amount == 0 ? this : with(plus(used(now), amount), now);
  }

  @Override
  public LimitState refund(long amount, long charged, long at, long now) {
    long refunded = Math.min(plus(0, amount), unrefilled(plus(0, charged), now - at));
    return with(Math.max(0, used(now) - refunded), now);
  }

  /**
   * What is left of a charge after so long. The refill since counts against this charge first,
   * whatever else was used: so that what all charges may refund was never refilled, in whichever
   * order they do.
   */
  private long unrefilled(long charged, long elapsed) {
    if (elapsed <= 0) {
      return charged; // the clock was stepped back
    }
    return elapsed >= micros(charged) ? 0 : charged - elapsed * limit.den();
  }

  /** A paced budget is free at the same time, the microsecond begun counted as whole. */
  @Override
  public LimitState converted(Limit to, long available, long now) {
    return to instanceof Limit.Paced next
        ? new GcraState(next, now + Math.min(reset(now), Limit.DEBT / next.den()), 0)
        : LimitState.super.converted(to, available, now);
  }

  @Override
  public void appendTo(StringBuilder text) {
    RowTextReader.numbers(text, tat, rest);
  }

  @Override
  public LimitState read(RowTextReader words) {
    return new GcraState(limit, words.number(), words.number());
  }
}
