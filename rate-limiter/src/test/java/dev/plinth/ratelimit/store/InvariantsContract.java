package dev.plinth.ratelimit.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.model.TestLimits;
import dev.plinth.ratelimit.policy.CalendarUnit;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.OnChange;
import dev.plinth.testkit.AdmissionChecker;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What holds over any load, for each algorithm: random, by fixed seeds, on the store's time. */
public abstract class InvariantsContract extends BudgetStoreCase {
  private static final long PERIOD = 10 * SECOND;
  private static final List<Limit> LIMITS =
      List.of(
          TestLimits.bucket(20, 7, SECOND),
          TestLimits.bucket(1000, 1_000_000, SECOND),
          TestLimits.bucket(3, 1, 30 * 24 * Limit.HOUR),
          TestLimits.paced(3, SECOND),
          new Limit.FixedWindow(20, PERIOD),
          new Limit.CalendarWindow(20, CalendarUnit.HOUR, ZoneId.of("Asia/Kolkata")),
          new Limit.SlidingCounter(20, PERIOD),
          new Limit.SlidingLog(20, PERIOD));

  /** How many steps each random load has. */
  protected int steps() {
    return 400;
  }

  private static long span(Limit limit) {
    if (limit instanceof Limit.Bucket bucket) {
      return bucket.burst() * bucket.num() / bucket.den();
    } else if (limit instanceof Limit.Paced paced) {
      return 3 * paced.num() / paced.den();
    }
    return limit instanceof Limit.CalendarWindow ? Limit.HOUR : PERIOD;
  }

  private void wander(Random random, Limit limit) {
    advance(random.nextInt(3) == 0 ? 0 : random.nextLong(1 + span(limit) / 6));
  }

  private static long cost(Random random, Limit limit) {
    return random.nextInt(3) > 0 ? 1 : 1 + random.nextLong(limit.size());
  }

  private static void checkBound(AdmissionChecker checker, Limit limit) {
    if (limit instanceof Limit.Bucket bucket) {
      checker.checkRate(bucket.burst(), bucket.den(), bucket.num());
    } else if (limit instanceof Limit.SlidingLog log) {
      checker.checkWithin(log.period(), log.limit());
    } else if (!(limit instanceof Limit.Paced)) {
      checker.checkWithin(span(limit), 2 * limit.size());
    }
  }

  @Test
  void L1_neverMoreThanTheBound_inAnyStretch() {
    for (Limit limit : LIMITS) {
      Random random = new Random(1);
      Budget budget = budget("L1 " + LIMITS.indexOf(limit), limit);
      AdmissionChecker checker = new AdmissionChecker();
      long paced = Long.MIN_VALUE;
      for (int i = 0; i < steps(); i++) {
        wander(random, limit);
        long cost = cost(random, limit);
        Outcome.Taken taken = take(of(cost, budget).times(1 + random.nextInt(3)));
        for (int j = 0; j < taken.admitted(); j++) {
          checker.admitted(now(), cost);
          assertTrue(!(limit instanceof Limit.Paced) || now() >= paced, "evenly spaced");
          paced = now() + (limit instanceof Limit.Paced pace ? cost * pace.num() / pace.den() : 0);
        }
        if (taken.retry() > 0 && random.nextInt(3) == 0) {
          advance(taken.retry()); // the very moment at which it is told to come
        }
      }
      assertTrue(checker.admissions().size() > 30, limit + " admits");
      checkBound(checker, limit);
    }
  }

  /** What leases are spent on, at the last moment that they allow, stays within their bound. */
  @Test
  void L1_withLeasesAndReturns_theLendingComesOnTop_andNoMore() {
    long ttl = SECOND / 2;
    Limit.Bucket limit = TestLimits.bucket(100, 50, SECOND);
    Budget budget = lending("L1 lent", limit, 20, ttl);
    Random random = new Random(2);
    AdmissionChecker spent = new AdmissionChecker();
    List<long[]> out = new ArrayList<>(); // granted, when it ends, number
    for (int i = 0; i < 2 * steps(); i++) {
      advance(random.nextLong(ttl / 3));
      int number = i;
      out.removeIf(lease -> lease[1] - now() < ttl / 3 && spend(lease, random, spent));
      long leased = take(lease(1 + random.nextInt(30), "L1 " + number, budget)).leased();
      if (leased > 0) {
        out.add(new long[] {leased, now() + ttl, number});
      }
      assertTrue(out.stream().mapToLong(lease -> lease[0]).sum() <= 20, "never more out");
      int checks = take(of(1, budget).times(random.nextInt(10) + 1)).admitted();
      spent.admitted(now(), checks);
    }
    spent.checkRate(100 + 20, limit.den(), limit.num());
  }

  private boolean spend(long[] lease, Random random, AdmissionChecker spent) {
    long used = random.nextLong(lease[0] + 1);
    spent.admitted(now(), used);
    if (random.nextBoolean()) {
      settle("L1 " + lease[2], used);
    }
    return true;
  }

  @Test
  void L2_afterARest_allOfItIsThere_andSteadyUseIsNeverDenied() {
    for (Limit limit : LIMITS) {
      Budget budget = budget("L2 " + LIMITS.indexOf(limit), limit);
      take(budget, limit.size());
      long reset = look(budget).reset();
      advance(reset - 1);
      assertTrue(available(budget) < limit.size(), limit + " is not there too early");
      advance(1);
      assertEquals(1, take(budget, limit.size()).admitted(), limit + " is there again");
    }
    // A burst of 2: checks come in whole microseconds, and so at times a little too early.
    Limit.Bucket odd = TestLimits.bucket(2, 3, SECOND);
    Budget steady = budget("L2 steady", odd);
    for (int i = 0; i < steps(); i++) {
      setTime(START + (i * odd.num() + odd.den() - 1) / odd.den());
      assertEquals(1, take(steady, 1).admitted(), "check " + i);
    }
  }

  @Test
  void L3_deniedByOne_changesNone_overAnyLoad() {
    Random random = new Random(3);
    List<Budget> all = new ArrayList<>();
    LIMITS.forEach(limit -> all.add(budget("L3 " + all.size(), limit)));
    int denied = 0;
    for (int i = 0; i < steps(); i++) {
      advance(random.nextLong(SECOND));
      Budget[] some = all.stream().filter(b -> random.nextInt(3) == 0).toArray(Budget[]::new);
      List<Outcome.Standing> before = take(of(0, some)).standings();
      Outcome.Taken taken = take(of(1 + random.nextInt(4), some));
      if (taken.admitted() == 0) {
        denied++;
        assertEquals(before, take(of(0, some)).standings());
      }
    }
    assertTrue(denied > steps() / 10, "some are denied: " + denied);
  }

  @Test
  void L4_balanceStaysBetweenNothingAndAll() {
    for (Limit limit : LIMITS) {
      Random random = new Random(4);
      Budget budget = lending("L4 " + LIMITS.indexOf(limit), limit, 5, SECOND);
      for (int i = 0; i < steps() / 2; i++) {
        wander(random, limit);
        switch (random.nextInt(5)) {
          case 0 -> take(reserve(cost(random, limit), 0, "L4 t" + i, budget));
          case 1 -> settleOne(random, "L4 t" + random.nextInt(i + 1));
          case 2 -> take(lease(1 + random.nextInt(9), "L4 t" + i, budget));
          case 3 -> take(partial(cost(random, limit), budget));
          default -> take(of(cost(random, limit), budget).times(2));
        }
        long available = available(budget);
        assertTrue(available >= 0 && available <= limit.size(), limit + ": " + available);
      }
    }
  }

  private void settleOne(Random random, String ticket) {
    settle(ticket, 0);
    if (random.nextBoolean()) {
      settle(ticket, 0);
    }
  }

  /** With no refill in sight: what was given, less what came back, is what is missing. */
  @Test
  void L5_nothingIsLostOrMade() {
    long size = 100_000;
    Budget budget = lending("L5", new Limit.Bucket(size, Limit.HOUR, 1), 500, SECOND);
    Random random = new Random(5);
    Map<String, Long> open = new HashMap<>();
    long given = 0;
    for (int i = 0; i < steps(); i++) {
      Outcome.Taken taken =
          random.nextBoolean()
              ? take(reserve(1 + random.nextInt(50), 0, "L5 " + i, budget))
              : take(lease(1 + random.nextInt(50), "L5 " + i, budget));
      given += taken.granted() + taken.leased();
      open.put("L5 " + i, taken.granted() + taken.leased());
      String ticket = "L5 " + random.nextInt(i + 1);
      long had = open.getOrDefault(ticket, 0L);
      long actual = had == 0 ? 0 : random.nextLong(had + 10);
      Outcome.Settled settled = settle(ticket, actual);
      assertEquals(had == 0 ? 0 : had - actual, settled.refunded());
      given -= settled.refunded();
      open.put(ticket, 0L);
      assertEquals(size - given, available(budget), "after " + i);
    }
  }

  @Test
  void L6_versionOfABudgetInUse_neverFalls_whoeverAsks() {
    Random random = new Random(6);
    long highest = 0;
    for (int i = 0; i < steps(); i++) {
      long version = 1 + random.nextInt(i / 10 + 1);
      if (highest > 0 && available(versioned(highest)) == 10) {
        highest = 0; // nothing of it is used: as good as none
      }
      Outcome outcome = apply(of(1, versioned(version)));
      if (outcome instanceof Outcome.Stale stale) {
        assertEquals(highest, stale.version());
        assertTrue(version < highest);
      } else {
        assertTrue(version >= highest);
        highest = ((Outcome.Taken) outcome).admitted() > 0 ? version : highest;
      }
      advance(random.nextInt(1_000_000));
    }
  }

  private static Budget versioned(long version) {
    return new Budget("L6", ten(), version, OnChange.AS_IS, false, Optional.empty());
  }

  @Test
  void L7_shadowsDoNotTouchWhatIsEnforced() {
    for (Limit limit : LIMITS) {
      Random random = new Random(7);
      Budget with = budget("L7 with " + LIMITS.indexOf(limit), limit);
      Budget without = budget("L7 without " + LIMITS.indexOf(limit), limit);
      Budget shadow = shadow("~L7 " + LIMITS.indexOf(limit), new Limit.Bucket(2, SECOND, 1));
      for (int i = 0; i < steps() / 4; i++) {
        wander(random, limit);
        long cost = cost(random, limit);
        int count = 1 + random.nextInt(3);
        Outcome.Taken both = take(of(cost, with, shadow).times(count));
        Outcome.Taken alone = take(of(cost, without).times(count));
        assertEquals(alone.admitted(), both.admitted());
        assertEquals(alone.retry(), both.retry());
        assertEquals(alone.standings().get(0), both.standings().get(0));
      }
    }
  }

  @Test
  void L8_retryIsTight() {
    for (Limit limit : LIMITS) {
      Random random = new Random(8);
      Budget budget = budget("L8 " + LIMITS.indexOf(limit), limit);
      int denied = 0;
      for (int i = 0; i < steps(); i++) {
        wander(random, limit);
        long cost = cost(random, limit);
        long retry = take(budget, cost).retry();
        if (retry > 0) {
          denied++;
          advance(retry - 1);
          assertEquals(1, take(budget, cost).retry(), limit + " a microsecond early");
          advance(1);
          assertEquals(1, take(budget, cost).admitted(), limit + " at the time");
        }
      }
      assertTrue(denied > 10, limit + " denies: " + denied);
    }
  }
}
