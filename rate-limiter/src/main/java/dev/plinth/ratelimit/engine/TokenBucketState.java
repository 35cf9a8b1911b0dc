package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.Outcome;

/** Full again at {@code tat + rest / den}. */
record TokenBucketState(Limit.Bucket limit, long tat, long rest) implements LimitState {
  static TokenBucketState full(Limit.Bucket limit, long now) {
    return new TokenBucketState(limit, now, 0);
  }

  private long used(long now) {
    return GcraArithmetic.used(tat, rest, limit.den(), now);
  }

  private TokenBucketState with(long used, long now) {
    return new TokenBucketState(limit, now + used / limit.den(), used % limit.den());
  }

  private long capacity() {
    return limit.burst() * limit.num();
  }

  @Override
  public LimitState afterClockStep(long last, long now) {
    return new TokenBucketState(limit, tat + now - last, rest);
  }

  @Override
  public long available(long now) {
    return Math.floorDiv(capacity() - used(now), limit.num());
  }

  @Override
  public long retry(long cost, long now) {
    if (cost > limit.burst()) {
      return Outcome.NEVER;
    }
    long missing = used(now) + cost * limit.num() - capacity();
    return missing <= 0 ? 0 : GcraArithmetic.ceil(missing, limit.den());
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
