package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.RowTextReader;
import dev.plinth.ratelimit.store.Outcome;
import java.util.Arrays;

/** Every charge with its time, oldest first: {@code time, cost, time, cost, ...}. */
record SlidingLogState(Limit.SlidingLog limit, long[] entries) implements LimitState {
  private static final long MAX_IN_ENTRY = 1L << 42;

  /** Of all entries that it may come to have: it must not need more when memory is full. */
  @Override
  public int bytes() {
    return 2 * Long.BYTES * (int) Math.max(entries.length / 2, limit.limit());
  }

  /** The first entry that still counts. */
  private int first(long now) {
    int i = 0;
    while (i < entries.length && entries[i] + limit.period() <= now) {
      i += 2;
    }
    return i;
  }

  private long sum(int first) {
    long sum = 0;
    for (int i = first; i < entries.length; i += 2) {
      sum += entries[i + 1];
    }
    return sum;
  }

  @Override
  public LimitState afterClockStep(long last, long now) {
    long[] moved = entries.clone();
    for (int i = 0; i < moved.length; i += 2) {
      moved[i] += now - last;
    }
    return new SlidingLogState(limit, moved);
  }

  @Override
  public long available(long now) {
    return limit.limit() - sum(first(now));
  }

  @Override
  public long retry(long cost, long now) {
    if (cost > limit.limit()) {
      return Outcome.NEVER;
    }
    int first = first(now);
    long over = sum(first) + cost - limit.limit();
    if (over <= 0) {
      return 0;
    }
    int last = first;
    for (over -= entries[last + 1]; over > 0; over -= entries[last + 1]) {
      last += 2;
    }
    return entries[last] + limit.period() - now;
  }

  @Override
  public long reset(long now) {
    int newest = entries.length - 2;
    return newest < first(now) ? 0 : entries[newest] + limit.period() - now;
  }

  @Override
  public LimitState charge(long amount, long now) {
    if (amount == 0) {
      return this;
    }
    int first = first(now);
    int newest = entries.length - 2;
    boolean same = newest >= first && entries[newest] == now;
    // Only debt can need more entries than the limit: it joins the newest, which then lasts longer.
    boolean join = same || (entries.length - first) / 2 >= limit.limit();
    long[] next = Arrays.copyOfRange(entries, first, entries.length + (join ? 0 : 2));
    next[next.length - 2] = now;
    next[next.length - 1] = Math.min(next[next.length - 1] + amount, MAX_IN_ENTRY);
    return new SlidingLogState(limit, next);
  }

  /** From what was charged then, or before: what came later must count for its whole time. */
  @Override
  public LimitState refund(long amount, long charged, long at, long now) {
    long[] next = Arrays.copyOfRange(entries, first(now), entries.length);
    long rest = amount;
    for (int i = next.length - 2; i >= 0 && rest > 0; i -= 2) {
      if (next[i] <= at) {
        long taken = Math.min(rest, next[i + 1]);
        next[i + 1] -= taken;
        rest -= taken;
      }
    }
    return new SlidingLogState(limit, withoutEmpty(next));
  }

  private static long[] withoutEmpty(long[] entries) {
    int kept = 0;
    for (int i = 0; i < entries.length; i += 2) {
      if (entries[i + 1] > 0) {
        entries[kept] = entries[i];
        entries[kept + 1] = entries[i + 1];
        kept += 2;
      }
    }
    return kept == entries.length ? entries : Arrays.copyOf(entries, kept);
  }

  @Override
  public void appendTo(StringBuilder text) {
    RowTextReader.numbers(text, entries);
  }

  @Override
  public LimitState read(RowTextReader words) {
    if (words.left() % 2 != 0) {
      throw new IllegalArgumentException(
          words.left() + " numbers of entries (expected: time and cost in turn)");
    }
    long[] stored = new long[words.left()];
    for (int i = 0; i < stored.length; i++) {
      stored[i] = words.number();
    }
    return new SlidingLogState(limit, stored);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SlidingLogState log
        && limit.equals(log.limit)
        && Arrays.equals(entries, log.entries);
  }

  @Override
  public int hashCode() {
    return 31 * limit.hashCode() + Arrays.hashCode(entries);
  }

  @Override
  public String toString() {
    return limit + " " + Arrays.toString(entries);
  }
}
