package dev.plinth.ratelimit.model;

import dev.plinth.ratelimit.policy.Limit;
import java.util.ArrayList;
import java.util.List;

/** Every charge and its time. */
final class ModelSlidingLog extends ModelLimitState {
  private static final long MAX_IN_ENTRY = 1L << 42;

  private record Entry(long time, long cost) {}

  private final Limit.SlidingLog limit;
  private final List<Entry> entries = new ArrayList<>();

  ModelSlidingLog(Limit.SlidingLog limit) {
    this.limit = limit;
  }

  @Override
  Limit limit() {
    return limit;
  }

  @Override
  long available(long now) {
    return limit.limit()
        - entries.stream()
            .filter(entry -> now < entry.time + limit.period())
            .mapToLong(Entry::cost)
            .sum();
  }

  @Override
  void charge(long amount, long now) {
    entries.removeIf(entry -> now >= entry.time + limit.period());
    int newest = entries.size() - 1;
    boolean isFull = entries.size() >= limit.limit();
    if (isFull || (newest >= 0 && entries.get(newest).time == now)) {
      long sum = Math.min(entries.remove(newest).cost + amount, MAX_IN_ENTRY);
      entries.add(new Entry(now, sum));
    } else {
      entries.add(new Entry(now, Math.min(amount, MAX_IN_ENTRY)));
    }
  }

  @Override
  void refund(long amount, long charged, long at, long now) {
    long rest = amount;
    for (int i = entries.size() - 1; i >= 0; i--) {
      Entry entry = entries.get(i);
      if (entry.time <= at && now < entry.time + limit.period()) {
        long less = Math.min(rest, entry.cost);
        entries.set(i, new Entry(entry.time, entry.cost - less));
        rest -= less;
      }
    }
    entries.removeIf(entry -> entry.cost == 0);
  }

  @Override
  void afterClockStep(long from, long to) {
    entries.replaceAll(entry -> new Entry(entry.time + to - from, entry.cost));
  }

  @Override
  ModelLimitState copy() {
    ModelSlidingLog copy = new ModelSlidingLog(limit);
    copy.entries.addAll(entries);
    return copy;
  }
}
