package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.LimitKind;
import dev.plinth.ratelimit.policy.OnChange;
import dev.plinth.ratelimit.policy.RowTextReader;
import dev.plinth.ratelimit.store.Budget;
import java.math.BigInteger;

/**
 * The stored state of a budget.
 *
 * @param version of the rule that wrote it
 * @param last when it was written
 */
record BudgetState(long version, long last, OutstandingLeases leases, LimitState level)
    implements BudgetRow {
  /**
   * Twice the longest ttl of a lease, in microseconds: what was leased so long ago is not
   * outstanding any more.
   */
  static final long LEASE_LIFETIME = 120_000_000;

  /**
   * As good as none: nothing of it is used or leased. Not while the clock stands before the last
   * write, where only {@link #levelAt} knows what is used.
   */
  @Override
  public boolean isExpired(long now) {
    return now >= last
        && level.reset(now) == 0
        && (leases.out() == 0 || now - last >= LEASE_LIFETIME);
  }

  @Override
  public int bytes() {
    return level.bytes();
  }

  /** The level at a time that may lie before the last one. */
  LimitState levelAt(long now) {
    return now < last ? level.afterClockStep(last, now) : level;
  }

  /** What is there for a later version of the rule. */
  static LimitState converted(LimitState level, Budget budget, long now) {
    Limit from = level.limit();
    Limit to = budget.limit();
    if (budget.onChange() == OnChange.RESET || !from.isSameAlgorithm(to)) {
      return LimitState.fresh(to, now);
    }
    return level.converted(to, available(level.available(now), from.size(), budget), now);
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

  /**
   * {@code v1 <kind> <version> <last> <leases> <numbers of the limit> <numbers of the level>}, the
   * same in every store.
   */
  @Override
  public String text() {
    StringBuilder text = new StringBuilder(80).append("v1 ").append(level.limit().kind().letter());
    RowTextReader.numbers(text, version, last, leases.index(), leases.now(), leases.before());
    level.appendTo(text.append(' ').append(level.limit().text()));
    return text.toString();
  }

  static BudgetState parse(String text) {
    RowTextReader words = RowTextReader.versioned(text);
    LimitKind kind = LimitKind.ofLetter(words.word());
    long version = words.number();
    long last = words.number();
    OutstandingLeases leases =
        new OutstandingLeases(words.number(), words.number(), words.number());
    LimitState level = LimitState.fresh(kind.parse(words), 0).read(words);
    words.end();
    return new BudgetState(version, last, leases, level);
  }
}
