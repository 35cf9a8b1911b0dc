package dev.plinth.ratelimit.store.redis;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.Budget;
import java.util.ArrayList;
import java.util.List;

/**
 * What a batch's budgets are counted by, each once: {@code [kind, version, on change, shadow,
 * lending max, lending ttl, limit's text, limit's numbers...]}.
 */
final class BudgetTermsTable {
  private final long about;
  private final List<Budget> distinct = new ArrayList<>();
  private long span;

  BudgetTermsTable(long about) {
    this.about = about;
  }

  /** Windows of calendars are to be known for so long from now. */
  void until(long micros) {
    span = Math.max(span, micros);
  }

  /** Counted from 1. A batch has few rules, mostly one, so looking at each is no cost. */
  int of(Budget budget) {
    for (int i = distinct.size() - 1; i >= 0; i--) {
      if (same(distinct.get(i), budget)) {
        return i + 1;
      }
    }
    distinct.add(budget);
    return distinct.size();
  }

  private static boolean same(Budget one, Budget other) {
    return one.version() == other.version()
        && one.limit().equals(other.limit())
        && one.onChange() == other.onChange()
        && one.shadow() == other.shadow()
        && one.lending().equals(other.lending());
  }

  void appendTo(MessagePackWriter pack) {
    pack.array(distinct.size());
    for (Budget budget : distinct) {
      pack.array(10);
      Limit limit = budget.limit();
      pack.text(kind(limit)).number(budget.version()).number(budget.onChange().ordinal());
      pack.flag(budget.shadow());
      pack.number(budget.lending().map(Budget.Lending::max).orElse(0L));
      pack.number(budget.lending().map(Budget.Lending::ttl).orElse(0L));
      numbers(limit, pack);
    }
  }

  private static String kind(Limit limit) {
    if (limit instanceof Limit.Bucket) {
      return "b";
    }
    if (limit instanceof Limit.Paced) {
      return "p";
    }
    if (limit instanceof Limit.FixedWindow) {
      return "f";
    }
    if (limit instanceof Limit.CalendarWindow) {
      return "c";
    }
    if (limit instanceof Limit.SlidingCounter) {
      return "s";
    }
    if (limit instanceof Limit.SlidingLog) {
      return "l";
    }
    throw new IllegalArgumentException(limit + " (expected: a limit that checks are charged to)");
  }

  private void numbers(Limit limit, MessagePackWriter pack) {
    if (limit instanceof Limit.Bucket bucket) {
      three(pack, bucket.burst(), bucket.num(), bucket.den());
    } else if (limit instanceof Limit.Paced paced) {
      pack.text(paced.num() + " " + paced.den()).number(1);
      pack.number(paced.num()).number(paced.den());
    } else if (limit instanceof Limit.FixedWindow window) {
      two(pack, window.limit(), window.period());
    } else if (limit instanceof Limit.SlidingCounter counter) {
      two(pack, counter.limit(), counter.period());
    } else if (limit instanceof Limit.SlidingLog sliding) {
      two(pack, sliding.limit(), sliding.period());
    } else if (limit instanceof Limit.CalendarWindow calendar) {
      String windows = calendar.unit() + " " + calendar.zone();
      pack.text(calendar.limit() + " " + windows).number(calendar.limit()).text(windows);
      long[] bounds = CalendarWindows.windows(calendar, about, span);
      pack.array(bounds.length);
      for (long bound : bounds) {
        pack.number(bound);
      }
    }
  }

  private static void three(MessagePackWriter pack, long a, long b, long c) {
    pack.text(a + " " + b + " " + c).number(a).number(b).number(c);
  }

  private static void two(MessagePackWriter pack, long a, long b) {
    pack.text(a + " " + b).number(a).number(b).number(0);
  }
}
