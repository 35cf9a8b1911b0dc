package dev.plinth.ratelimit.core;

import java.math.BigInteger;

/**
 * A budget as it is kept.
 *
 * @param version of the rule that wrote it
 * @param last when it was written
 */
record State(long version, long last, Lent lent, Level level) implements Kept {
  /**
   * Twice the longest ttl of a lease, in microseconds: what was lent so long ago is not out any
   * more.
   */
  static final long LENT = 120_000_000;

  /**
   * As good as none: nothing of it is used, nor lent. Not while the clock stands before the last
   * write, where only {@link #levelAt} knows what is used.
   */
  @Override
  public boolean isOver(long now) {
    return now >= last && level.reset(now) == 0 && (lent.out() == 0 || now - last >= LENT);
  }

  @Override
  public int bytes() {
    return level.bytes();
  }

  /** The level at a time that may lie before the last one. */
  Level levelAt(long now) {
    return now < last ? level.back(last, now) : level;
  }

  /** What is there for a later version of the rule. */
  static Level converted(Level level, Budget budget, long now) {
    Limit from = level.limit();
    Limit to = budget.limit();
    if (budget.onChange() == OnChange.RESET || !isAlike(from, to)) {
      return Level.fresh(to, now);
    } else if (level instanceof PacedLevel paced) {
      return paced.under((Limit.Paced) to, now);
    }
    return Level.of(to, available(level.available(now), from.size(), budget), now);
  }

  private static long available(long available, long size, Budget budget) {
    long next = budget.limit().size();
    return switch (budget.onChange()) {
      case ADDITIVE -> Math.min(next, available + next - size);
      // A debt is not a share of anything.
      case PROPORTIONAL -> available <= 0 ? available : share(available, next, size);
      default -> Math.min(next, available);
    };
  }

  private static long share(long available, long next, long size) {
    return Math.multiplyHigh(available, next) == 0 && available * next >= 0
        ? available * next / size
        : BigInteger.valueOf(available)
            .multiply(BigInteger.valueOf(next))
            .divide(BigInteger.valueOf(size))
            .longValueExact();
  }

  private static boolean isAlike(Limit from, Limit to) {
    if (from instanceof Limit.CalendarWindow one && to instanceof Limit.CalendarWindow other) {
      return one.unit() == other.unit() && one.zone().equals(other.zone());
    }
    return from.getClass() == to.getClass();
  }

  @Override
  public String text() {
    return StateText.of(this);
  }
}
