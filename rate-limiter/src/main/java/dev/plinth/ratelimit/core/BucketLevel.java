package dev.plinth.ratelimit.core;

/** Full again at {@code tat + rest / den}. */
record BucketLevel(Limit.Bucket limit, long tat, long rest) implements Level {
  static BucketLevel full(Limit.Bucket limit, long now) {
    return new BucketLevel(limit, now, 0);
  }

  private long used(long now) {
    return Tat.used(tat, rest, limit.den(), now);
  }

  private BucketLevel with(long used, long now) {
    return new BucketLevel(limit, now + used / limit.den(), used % limit.den());
  }

  private long capacity() {
    return limit.burst() * limit.num();
  }

  @Override
  public Level back(long last, long now) {
    return new BucketLevel(limit, tat + now - last, rest);
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
    return missing <= 0 ? 0 : Tat.ceil(missing, limit.den());
  }

  @Override
  public boolean hasFuture() {
    return true;
  }

  @Override
  public long reset(long now) {
    return Tat.ceil(used(now), limit.den());
  }

  @Override
  public Level charge(long amount, long now) {
    return amount == 0 ? this : with(Tat.plus(used(now), amount, limit.num()), now);
  }

  @Override
  public Level refund(long amount, long charged, long at, long now) {
    long most = Tat.unrefilled(Tat.plus(0, charged, limit.num()), limit.den(), now - at);
    long given = Math.min(Tat.plus(0, amount, limit.num()), most);
    return with(Math.max(0, used(now) - given), now);
  }
}
