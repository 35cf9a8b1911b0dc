package dev.plinth.ratelimit.store.redis;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.Limit.Windowed.Window;
import dev.plinth.ratelimit.store.Budget;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

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
      pack.text(limit.kind().letter()).number(budget.version()).number(budget.onChange().ordinal());
      pack.flag(budget.shadow());
      pack.number(budget.lending().map(Budget.Lending::max).orElse(0L));
      pack.number(budget.lending().map(Budget.Lending::ttl).orElse(0L));
      numbers(limit, pack);
    }
  }

  private void numbers(Limit limit, MessagePackWriter pack) {
    pack.text(limit.text()).number(limit.size());
    if (limit instanceof Limit.Refilled refilled) {
      pack.number(refilled.num()).number(refilled.den());
    } else if (limit instanceof Limit.Periodic periodic) {
      pack.number(periodic.period()).number(0);
    } else if (limit instanceof Limit.CalendarWindow calendar) {
      long[] bounds = windows(calendar);
      pack.text(calendar.unit() + " " + calendar.zone()).array(bounds.length);
      for (long bound : bounds) {
        pack.number(bound);
      }
    }
  }

  /**
   * Begin and end of each window, since Redis knows no zones: of the one that holds the time, its
   * neighbours, and on until one begins after the span. Where clocks change by half an hour they
   * overlap, and the first that holds a time counts.
   */
  private long[] windows(Limit.CalendarWindow calendar) {
    Window holds = calendar.windowAt(about);
    LongStream.Builder windows = LongStream.builder();
    add(windows, calendar.windowAt(holds.start() - 1));
    add(windows, holds);
    Window last = holds;
    do {
      last = calendar.windowAt(last.end());
      add(windows, last);
    } while (last.start() <= about + span);
    return windows.build().toArray();
  }

  private static void add(LongStream.Builder windows, Window window) {
    windows.add(window.start()).add(window.end());
  }
}
