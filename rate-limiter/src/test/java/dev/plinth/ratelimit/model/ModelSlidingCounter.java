package dev.plinth.ratelimit.model;

import dev.plinth.ratelimit.policy.Limit;
import java.util.HashMap;
import java.util.Map;

/** Windows and what was used in each; the last one counts by the share that is still in sight. */
final class ModelSlidingCounter extends ModelLimitState {
  private final Limit.SlidingCounter limit;
  private Map<Long, Long> used = new HashMap<>();

  ModelSlidingCounter(Limit.SlidingCounter limit) {
    this.limit = limit;
  }

  private long window(long time) {
    return Math.floorDiv(time, limit.period());
  }

  private long in(long window) {
    return used.getOrDefault(window, 0L);
  }

  @Override
  Limit limit() {
    return limit;
  }

  @Override
  long available(long now) {
    long passed = Math.floorMod(now, limit.period());
    Ratio share = Ratio.of(limit.period() - passed, limit.period());
    Ratio counted = share.times(Ratio.of(in(window(now) - 1))).plus(Ratio.of(in(window(now))));
    return Ratio.of(limit.limit()).minus(counted).floor();
  }

  @Override
  void charge(long amount, long now) {
    long most = (Limit.EXACT - 1) / limit.period();
    used.put(window(now), Math.min(in(window(now)) + amount, most));
  }

  @Override
  void refund(long amount, long charged, long at, long now) {
    long window = Math.min(window(at), window(now));
    used.put(window, Math.max(0, in(window) - amount));
  }

  @Override
  void afterClockStep(long from, long to) {
    used =
        new HashMap<>(Map.of(window(to), in(window(from)), window(to) - 1, in(window(from) - 1)));
  }

  @Override
  ModelLimitState copy() {
    ModelSlidingCounter copy = new ModelSlidingCounter(limit);
    copy.used = new HashMap<>(used);
    return copy;
  }
}
