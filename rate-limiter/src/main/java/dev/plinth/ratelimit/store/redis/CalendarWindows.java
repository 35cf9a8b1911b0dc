package dev.plinth.ratelimit.store.redis;

import dev.plinth.ratelimit.policy.Limit.CalendarWindow;
import dev.plinth.ratelimit.policy.Limit.CalendarWindow.Window;
import java.util.stream.LongStream;

/** Where windows of a calendar begin and end: Redis knows no zones. */
final class CalendarWindows {
  private CalendarWindows() {}

  /**
   * Begin and end of each: of the window that holds the time, its neighbours, and on until one
   * begins after the span. Where clocks change by half an hour they overlap, and the first that
   * holds a time counts.
   */
  static long[] windows(CalendarWindow calendar, long time, long span) {
    Window holds = calendar.windowAt(time);
    LongStream.Builder windows = LongStream.builder();
    add(windows, calendar.windowAt(holds.start() - 1));
    add(windows, holds);
    Window last = holds;
    do {
      last = calendar.windowAt(last.end());
      add(windows, last);
    } while (last.start() <= time + span);
    return windows.build().toArray();
  }

  private static void add(LongStream.Builder windows, Window window) {
    windows.add(window.start()).add(window.end());
  }
}
