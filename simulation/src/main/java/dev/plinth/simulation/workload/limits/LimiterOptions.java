package dev.plinth.simulation.workload.limits;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.ratelimit.policy.Rule.Counting;
import dev.plinth.ratelimit.policy.Rule.Enforcement;
import dev.plinth.ratelimit.policy.Rule.LeaseRule;
import dev.plinth.simulation.kernel.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * What a seed drew for its limiters.
 *
 * @param faults of Redis and of nodes
 * @param queues flushes of a node that may be in flight
 * @param maxCost of one check
 * @param leased whether nodes take budget in advance
 * @param hoards whether callers take tickets, and return them all at once unused
 */
record LimiterOptions(
    int nodes,
    Limit limit,
    Set<String> faults,
    int queues,
    int maxCost,
    boolean leased,
    boolean hoards,
    int seconds) {
  private static final long SECOND = 1_000_000;
  private static final int LENT_PERMILLE = 200;

  /** With these, nodes decide alone. */
  private static final List<String> OUTAGES = List.of("slow", "lossy", "down");

  private static final List<String> LOSSES = List.of("flush", "fail-over", "clock-step", "kill");

  static LimiterOptions draw(Seeds seeds) {
    SplittableRandom random = seeds.random("limiter options");
    Set<String> faults = new TreeSet<>();
    LOSSES.stream().filter(each -> random.nextInt(3) == 0).forEach(faults::add);
    boolean outages = random.nextInt(3) > 0;
    OUTAGES.stream().filter(each -> outages && random.nextBoolean()).forEach(faults::add);
    boolean alone = OUTAGES.stream().anyMatch(faults::contains);
    Limit limit = limit(random, alone);
    if (!(limit instanceof Limit.Bucket)) {
      faults.remove("clock-step"); // after a step back a window may begin once more
    }
    return new LimiterOptions(
        random.nextInt(1, 4),
        limit,
        faults,
        random.nextInt(1, 5),
        random.nextInt(1, 4),
        random.nextInt(3) == 0,
        random.nextInt(3) == 0,
        random.nextInt(40, 150));
  }

  /** How much windows let pass where the store comes and goes depends on when it does. */
  private static Limit limit(SplittableRandom random, boolean alone) {
    long size = random.nextInt(6, 40);
    long perSecond = random.nextInt(3, 20);
    List<Limit> kinds = new ArrayList<>();
    kinds.add(bucket(size, perSecond));
    if (!alone) {
      kinds.add(new Limit.FixedWindow(size, SECOND));
      kinds.add(new Limit.SlidingCounter(size, SECOND));
      kinds.add(new Limit.SlidingLog(size, SECOND));
    }
    return kinds.get(random.nextInt(kinds.size()));
  }

  private static Limit bucket(long burst, long perSecond) {
    long common = gcd(SECOND, perSecond);
    return new Limit.Bucket(burst, SECOND / common, perSecond / common);
  }

  private static long gcd(long one, long other) {
    return other == 0 ? one : gcd(other, one % other);
  }

  boolean alone() {
    return OUTAGES.stream().anyMatch(faults::contains);
  }

  Rule rule() {
    return new Rule(
        "rate",
        1,
        List.of(new Rule.Match("tenant", "")),
        Counting.of(limit),
        Enforcement.DEFAULT,
        leased
            ? Optional.of(new LeaseRule(LENT_PERMILLE, Duration.ofSeconds(2), nodes, 5))
            : Optional.empty(),
        List.of(),
        Optional.empty());
  }

  /** The most that is out in leases at one time. */
  long lent() {
    return leased ? limit.size() * LENT_PERMILLE / 1000 + 1 : 0;
  }
}
