package dev.plinth.simulation.workload.limits;

import dev.plinth.ratelimit.policy.Limit;
import java.util.ArrayList;
import java.util.List;

/**
 * Judges what was admitted of one budget in every stretch of time, by the bounds that the design
 * states: (a) to (d) of the limit itself, (e) and (f) for each loss and each step of the store's
 * clock in the stretch, (h) where nodes decided alone.
 */
final class AdmittedChecker {
  /** From a decision of the store until its caller knows it. */
  private static final long KNOWN_WITHIN = 25_000;

  private static final long RETENTION = 60_000_000;

  /** All times in microseconds. */
  private record Admission(long at, long cost) {}

  /** Something that lets more pass, once. */
  private record Extra(long at, long units) {}

  private final Limit limit;
  private final Limit safe;
  private final int nodes;
  private final boolean alone;
  private final long lent;
  private final long maxCost;
  private final List<Admission> admissions = new ArrayList<>();
  private final List<Extra> extras = new ArrayList<>();

  /**
   * @param safe the limit of one node that decides alone
   * @param alone whether nodes may have done so
   * @param lent the most that is out in leases
   */
  AdmittedChecker(Limit limit, Limit safe, int nodes, boolean alone, long lent, long maxCost) {
    this.limit = limit;
    this.safe = safe;
    this.nodes = nodes;
    this.alone = alone;
    this.lent = lent;
    this.maxCost = maxCost;
  }

  void admitted(long micros, long cost) {
    if (cost > 0) {
      admissions.add(new Admission(micros, cost));
    }
  }

  /** The store lost some of what it had; it may be all. */
  void lost(long micros) {
    extras.add(new Extra(micros, limit.size()));
  }

  /** The store's clock was set forward. */
  void clockForward(long micros, long by) {
    extras.add(new Extra(micros, Math.min(limit.size(), limit.refilled(by))));
  }

  /** A node forgot what it had admitted alone. */
  void restarted(long micros) {
    extras.add(new Extra(micros, alone ? safe.size() : 0));
  }

  long total() {
    return admissions.stream().mapToLong(Admission::cost).sum();
  }

  void check() {
    admissions.sort((one, other) -> Long.compare(one.at, other.at));
    for (int i = 0; i < admissions.size(); i++) {
      long from = admissions.get(i).at;
      long sum = 0;
      for (int j = i; j < admissions.size(); j++) {
        sum += admissions.get(j).cost;
        long to = admissions.get(j).at;
        // The bound is dear, and most sums are far below what it is at the least.
        if (sum > limit.size() && sum > bound(from, to)) {
          throw new AssertionError(
              "%d admitted from %d to %d µs (expected: at most %d of %s by %d nodes)"
                  .formatted(sum, from, to, bound(from, to), limit, nodes));
        }
      }
    }
  }

  private long bound(long from, long to) {
    long length = to - from + KNOWN_WITHIN;
    long bound = limit.maxAdmitted(length, maxCost) + lent;
    for (Extra extra : extras) {
      if (extra.at >= from - KNOWN_WITHIN && extra.at <= to) {
        bound += extra.units;
      }
    }
    return alone ? bound + byNodesAlone(length) : bound;
  }

  private long byNodesAlone(long length) {
    long refilled = limit.refilled(length);
    long fresh = 1 + length / RETENTION;
    long own = nodes * fresh * safe.size();
    // Where the store answers other nodes meanwhile, each adds what its own share refills.
    long meanwhile = nodes == 1 ? 0 : nodes * safe.refilled(length);
    return own + meanwhile + Math.min(limit.size(), refilled);
  }
}
