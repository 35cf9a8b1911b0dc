package dev.plinth.ratelimit.core;

/** Free at {@code tat + rest / den}, for one check of any cost. */
record PacedLevel(Limit.Paced limit, long tat, long rest) implements Level {
  private long used(long now) {
    return Tat.used(tat, rest, limit.den(), now);
  }

  private PacedLevel with(long used, long now) {
    return new PacedLevel(limit, now + used / limit.den(), used % limit.den());
  }

  /** Under another limit it is free at the same time, the microsecond begun counted as whole. */
  PacedLevel under(Limit.Paced next, long now) {
    return new PacedLevel(next, now + Math.min(reset(now), Limit.DEBT / next.den()), 0);
  }

  /** Microseconds for which a check of a cost takes it. */
  long charged(long amount) {
    return Tat.ceil(Tat.plus(0, amount, limit.num()), limit.den());
  }

  @Override
  public Level back(long last, long now) {
    return new PacedLevel(limit, tat + now - last, rest);
  }

  @Override
  public long available(long now) {
    return used(now) == 0 ? 1 : 0;
  }

  @Override
  public long fits(long cost, long now) {
    return available(now);
  }

  @Override
  public long retry(long cost, long now) {
    return reset(now);
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
