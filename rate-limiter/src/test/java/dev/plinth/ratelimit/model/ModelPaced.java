package dev.plinth.ratelimit.model;

import dev.plinth.ratelimit.policy.Limit;

/** One after the other: the moment at which the next may come. */
final class ModelPaced extends ModelLimitState {
  private final Limit.Paced limit;
  private Ratio free;

  ModelPaced(Limit.Paced limit, Ratio free) {
    this.limit = limit;
    this.free = free;
  }

  /** Under another limit the same moment, in whole microseconds and not beyond its debt. */
  ModelPaced under(Limit.Paced other, long now) {
    Ratio whole = Ratio.of(free.floor());
    Ratio up = whole.compareTo(free) < 0 ? whole.plus(Ratio.of(1)) : whole;
    return new ModelPaced(other, up.min(Ratio.of(now + Limit.DEBT / other.den())));
  }

  @Override
  Limit limit() {
    return limit;
  }

  @Override
  long available(long now) {
    return free.compareTo(Ratio.of(now)) <= 0 ? 1 : 0;
  }

  @Override
  boolean passes(long cost, long now) {
    return available(now) == 1;
  }

  @Override
  void charge(long amount, long now) {
    Ratio from = free.max(Ratio.of(now));
    Ratio farthest = Ratio.of(now).plus(Ratio.of(Limit.DEBT, limit.den()));
    Ratio to = from.plus(Ratio.of(amount).times(Ratio.of(limit.num(), limit.den())));
    free = to.min(farthest.max(from));
  }

  @Override
  void refund(long amount, long charged, long at, long now) {
    Ratio left = unrefilled(charged, limit.num(), limit.den(), now - at);
    free = free.minus(left.min(Ratio.of(amount)).times(Ratio.of(limit.num(), limit.den())));
  }

  @Override
  void afterClockStep(long from, long to) {
    free = free.plus(Ratio.of(to - from));
  }

  @Override
  ModelLimitState copy() {
    return new ModelPaced(limit, free);
  }
}
