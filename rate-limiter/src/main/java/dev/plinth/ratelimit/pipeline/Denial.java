package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.pipeline.Decision.LimitStatus;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.ratelimit.store.Outcome.Standing;
import dev.plinth.ratelimit.store.Outcome.Taken;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The store denied a cost: it would have denied this one and every higher one until its retry,
 * which is counted from before the request was sent and so never ends too late.
 *
 * @param sentAt on the monotonic clock
 * @param stamp of the budgets, before it was sent
 */
record Denial(long cost, Taken taken, long sentAt, long stamp) {

  boolean covers(long other) {
    return other >= cost;
  }

  /**
   * @param most nanoseconds that it is believed at all
   */
  boolean isValid(long now, long most) {
    long age = now - sentAt;
    return age < most
        && (taken.retry() == Outcome.NEVER || TimeUnit.NANOSECONDS.toMicros(age) < taken.retry());
  }

  /** The decision as the store would give it now. */
  Decision decision(BudgetSet set, long now) {
    long age = TimeUnit.NANOSECONDS.toMicros(now - sentAt);
    List<Standing> standings = new ArrayList<>(taken.standings().size());
    for (Standing each : taken.standings()) {
      standings.add(
          new Standing(
              each.available(), Math.max(0, each.reset() - age), each.over(), each.version()));
    }
    List<LimitStatus> limits = Statuses.of(set, standings);
    long retry = taken.retry() == Outcome.NEVER ? Outcome.NEVER : taken.retry() - age;
    return Decisions.denied(set, retry, limits, DecidedBy.DENY_CACHE);
  }
}
