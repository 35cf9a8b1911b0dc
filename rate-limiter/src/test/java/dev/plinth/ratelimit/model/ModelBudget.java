package dev.plinth.ratelimit.model;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.OnChange;
import dev.plinth.ratelimit.store.Budget;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;

/** A budget as it is kept. */
final class ModelBudget {
  /** What was lent so long ago is not out any more. */
  private static final long LENT = 120_000_000;

  long version;
  long last;
  ModelLimitState used;
  Map<Long, Long> lent = new HashMap<>(); // by the window of one ttl

  ModelBudget(long version, long last, ModelLimitState used) {
    this.version = version;
    this.last = last;
    this.used = used;
  }

  boolean isForgotten(long now) {
    return now >= last
        && used.available(now) == used.limit().size()
        && (isNothingLent() || now - last >= LENT);
  }

  private boolean isNothingLent() {
    long newest = lent.keySet().stream().max(Long::compare).orElse(0L);
    return lent.getOrDefault(newest, 0L) + lent.getOrDefault(newest - 1, 0L) == 0;
  }

  ModelBudget copy() {
    ModelBudget copy = new ModelBudget(version, last, used.copy());
    copy.lent = new HashMap<>(lent);
    return copy;
  }

  /** Moves what lies in the future of a clock that was stepped back. */
  void seen(long now) {
    if (now < last) {
      used.afterClockStep(last, now);
      last = now;
    }
  }

  /** As leases count it in windows of a ttl: of this one and the one before. */
  long out(long now, long ttl) {
    return lent(now, ttl, 0) + lent(now, ttl, 1);
  }

  long lent(long now, long ttl, int ago) {
    return lent.getOrDefault(Math.floorDiv(now, ttl) - ago, 0L);
  }

  /** Windows that lie ahead of a clock that was stepped back end at the present one. */
  void lendingSeen(long now, long ttl) {
    long present = Math.floorDiv(now, ttl);
    long newest = lent.keySet().stream().max(Long::compare).orElse(present);
    if (newest > present) {
      long latest = lent.getOrDefault(newest, 0L);
      long before = lent.getOrDefault(newest - 1, 0L);
      lent = new HashMap<>(Map.of(present, latest, present - 1, before));
    }
    lent.putIfAbsent(present, 0L); // the newest is the one that was last looked at
  }

  /** For a later version of the rule. */
  void convert(Budget budget, long now) {
    if (version >= budget.version()) {
      return;
    }
    Limit from = used.limit();
    Limit to = budget.limit();
    boolean anew = budget.onChange() == OnChange.RESET || !isAlike(from, to);
    if (!anew && used instanceof ModelPaced pace) {
      used = pace.under((Limit.Paced) to, now);
    } else {
      long have = anew ? to.size() : have(budget, used.available(now), from.size());
      used = ModelLimitState.none(to, now);
      if (have < to.size()) {
        used.charge(to.size() - have, now);
      }
    }
    version = budget.version();
  }

  private static boolean isAlike(Limit from, Limit to) {
    if (from instanceof Limit.CalendarWindow a && to instanceof Limit.CalendarWindow b) {
      return a.unit().equals(b.unit()) && a.zone().equals(b.zone());
    }
    return from.getClass().equals(to.getClass());
  }

  private static long have(Budget budget, long available, long size) {
    long next = budget.limit().size();
    if (budget.onChange() == OnChange.ADDITIVE) {
      return Math.min(next, next - (size - available));
    } else if (budget.onChange() == OnChange.PROPORTIONAL && available > 0) {
      return BigInteger.valueOf(available)
          .multiply(BigInteger.valueOf(next))
          .divide(BigInteger.valueOf(size))
          .longValueExact();
    }
    return Math.min(next, available);
  }
}
