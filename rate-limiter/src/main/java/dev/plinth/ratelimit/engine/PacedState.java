package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.policy.Limit;

/** Free at {@code tat + rest / den}, for one check of any cost. */
record PacedState(Limit.Paced limit, long tat, long rest) implements LimitState {
  private long used(long now) {
    return GcraArithmetic.used(tat, rest, limit.den(), now);
  }

  private PacedState with(long used, long now) {
    return new PacedState(limit, now + used / limit.den(), used % limit.den());
  }

  /** Under another limit it is free at the same time, the microsecond begun counted as whole. */
  PacedState under(Limit.Paced next, long now) {
    return new PacedState(next, now + Math.min(reset(now), Limit.DEBT / next.den()), 0);
  }

  /** Microseconds for which a check of a cost takes it. */
  long charged(long amount) {
    return GcraArithmetic.ceil(GcraArithmetic.plus(0, amount, limit.num()), limit.den());
  }

  @Override
  public LimitState afterClockStep(long last, long now) {
    return new PacedState(limit, tat + now - last, rest);
  }

  @Override
  public long available(long now) {
    return used(now) == 0 ? 1 : 0;
  }

  @Override
  public long countAdmitted(long cost, long now) {
    return available(now);
  }

  @Override
  public long retry(long cost, long now) {
    return reset(now);
  }

  @Override
  public boolean canReserve() {
    return true;
  }

  @Override
  public long reset(long now) {
    return GcraArithmetic.ceil(used(now), limit.den());
  }

  @Override
  public LimitState charge(long amount, long now) {
    return amount == 0 ? this : with(GcraArithmetic.plus(used(now), amount, limit.num()), now);
  }

  @Override
  public LimitState refund(long amount, long charged, long at, long now) {
    long most =
        GcraArithmetic.unrefilled(
            GcraArithmetic.plus(0, charged, limit.num()), limit.den(), now - at);
    long given = Math.min(GcraArithmetic.plus(0, amount, limit.num()), most);
    return with(Math.max(0, used(now) - given), now);
  }
}
