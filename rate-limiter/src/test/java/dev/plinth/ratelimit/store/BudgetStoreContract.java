package dev.plinth.ratelimit.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.policy.CalendarUnit;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.OnChange;
import dev.plinth.ratelimit.store.Operation.Take;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Checks, tickets, leases, versions and duplicates, as every store does them. */
public abstract class BudgetStoreContract extends BudgetStoreCase {
  private static final Budget TEN = budget("ten", ten());

  @Test
  void take_upToTheBurst_isAdmitted_thenDeniedUntilARefill() {
    assertEquals(
        new Outcome.Taken(1, 10, 0, 0, 0, List.of(new Outcome.Standing(0, 10 * SECOND, false, 0))),
        take(TEN, 10));
    assertEquals(
        new Outcome.Taken(
            0, 0, 0, 0, 3 * SECOND, List.of(new Outcome.Standing(0, 10 * SECOND, true, 1))),
        take(TEN, 3));
    advance(3 * SECOND - 1);
    assertEquals(1, take(TEN, 3).retry());
    advance(1);
    assertEquals(1, take(TEN, 3).admitted());
  }

  @Test
  void take_moreThanEver_isNever() {
    assertEquals(Outcome.NEVER, take(TEN, 11).retry());
    assertEquals(Outcome.NEVER, take(reserve(11, Limit.HOUR, "t", TEN)).retry());
    assertEquals(Outcome.NEVER, take(budget("w", new Limit.FixedWindow(5, SECOND)), 6).retry());
  }

  @Test
  void take_ofNothing_looks_andChangesNothing() {
    assertEquals(new Outcome.Standing(10, 0, false, 0), look(TEN));
    take(TEN, 4);
    Outcome.Standing before = look(next(TEN, new Limit.Bucket(100, 1, 1), OnChange.RESET));
    assertEquals(new Outcome.Standing(100, 0, false, 1), before);
    assertEquals(new Outcome.Standing(6, 4 * SECOND, false, 1), look(TEN), "no version written");
  }

  @Test
  void paced_admitsAnyCost_thenNoneUntilItsTimeHasPassed() {
    Budget paced = budget("paced", new Limit.Paced(SECOND, 3));
    assertEquals(1, take(of(7, paced).times(3)).admitted());
    assertEquals(2_333_334, take(paced, 1).retry());
    advance(2_333_334);
    assertEquals(1, take(paced, 1).admitted());
  }

  @Test
  void fixedWindow_beginsAnewWithEachPeriod() {
    Budget window = budget("window", new Limit.FixedWindow(3, 10 * SECOND));
    setTime(START + 4 * SECOND);
    assertEquals(3, take(of(1, window).times(5)).admitted());
    assertEquals(6 * SECOND, take(window, 1).retry());
    advance(6 * SECOND);
    assertEquals(3, available(window));
  }

  @Test
  void calendarWindow_isThatOfItsZone() {
    Budget days =
        budget("days", new Limit.CalendarWindow(2, CalendarUnit.DAY, ZoneId.of("Europe/Berlin")));
    assertEquals(2, take(of(1, days).times(3)).admitted());
    assertEquals(23 * Limit.HOUR, take(days, 1).retry(), "midnight in Berlin is at 23:00 UTC");
    advance(23 * Limit.HOUR);
    assertEquals(2, available(days));
  }

  @Test
  void slidingCounter_countsTheShareOfTheLastWindow() {
    Budget counter = budget("counter", new Limit.SlidingCounter(10, 10 * SECOND));
    take(counter, 8);
    advance(10 * SECOND);
    assertEquals(2, available(counter));
    assertEquals(1_250_000, take(counter, 3).retry(), "8 of the last count 7");
    advance(5 * SECOND);
    assertEquals(6, available(counter));
  }

  @Test
  void slidingLog_forgetsEachChargeAPeriodLater() {
    Budget log = budget("log", new Limit.SlidingLog(3, 10 * SECOND));
    take(log, 2);
    advance(SECOND);
    take(log, 1);
    assertEquals(9 * SECOND, take(log, 2).retry());
    advance(9 * SECOND);
    assertEquals(2, available(log));
    advance(SECOND);
    assertEquals(3, available(log));
  }

  @Test
  void L3_deniedByOne_changesNone() {
    Budget tight = budget("tight", new Limit.Bucket(1, SECOND, 1));
    Budget shadow = shadow("~shadow", ten());
    take(tight, 1);
    Outcome.Taken denied = take(of(1, TEN, tight, shadow));
    assertEquals(0, denied.admitted());
    assertEquals(
        List.of(false, true, false), denied.standings().stream().map(s -> s.over()).toList());
    assertEquals(10, available(TEN));
    assertEquals(10, available(shadow));
    assertEquals(0, look(TEN).version(), "nothing was written");
  }

  @Test
  void count_admitsAsManyAsFit_andSaysWhenTheNextPasses() {
    Budget tight = budget("tight", new Limit.Bucket(7, SECOND, 1));
    Outcome.Taken taken = take(of(2, TEN, tight).times(9));
    assertEquals(3, taken.admitted());
    assertEquals(SECOND, taken.retry());
    assertEquals(4, available(TEN));
    assertEquals(1, available(tight));
  }

  @Test
  void shadow_isChargedAsFarAsItHasRoom_andNeverDenies() {
    Budget shadow = shadow("~tight", new Limit.Bucket(2, SECOND, 1));
    Outcome.Taken taken = take(of(1, TEN, shadow).times(4));
    assertEquals(4, taken.admitted());
    assertFalse(taken.standings().get(0).over());
    assertTrue(taken.standings().get(1).over());
    assertEquals(6, available(TEN));
    assertEquals(0, available(shadow));
  }

  @Test
  void partial_grantsWhatThereIs_orNothing() {
    take(TEN, 7);
    assertEquals(3, take(partial(5, TEN)).granted());
    Outcome.Taken denied = take(partial(5, TEN));
    assertEquals(0, denied.admitted());
    assertEquals(SECOND, denied.retry(), "one is enough");
  }

  @Test
  void reserve_takesOfTheFuture_upToTheWait() {
    take(TEN, 10);
    Outcome.Taken later = take(reserve(4, 4 * SECOND, "t", TEN));
    assertEquals(4 * SECOND, later.delay());
    assertEquals(-4, available(TEN));
    assertEquals(0, take(reserve(1, 4 * SECOND, "u", TEN)).admitted());
    Budget window = budget("window", new Limit.FixedWindow(1, SECOND));
    take(window, 1);
    assertEquals(0, take(reserve(1, Limit.HOUR, "v", window)).admitted(), "has no future");
  }

  @Test
  void settle_givesBackTheRest_once() {
    take(reserve(8, 0, "t", TEN));
    assertEquals(new Outcome.Settled(true, 5), settle("t", 3));
    assertEquals(7, available(TEN));
    assertEquals(new Outcome.Settled(false, 0), settle("t", 3));
    assertEquals(7, available(TEN));
  }

  @Test
  void settle_forMore_isChargedEvenIntoDebt() {
    take(reserve(8, 0, "t", TEN));
    assertEquals(new Outcome.Settled(true, -7), settle("t", 15));
    assertEquals(-5, available(TEN));
    assertEquals(6 * SECOND, take(TEN, 1).retry());
  }

  @Test
  void settle_afterItsTime_isNotFound() {
    take(reserve(10, 0, "t", TEN));
    take(reserve(5, 10 * SECOND, "u", TEN)); // may act after 5 s
    advance(60 * SECOND);
    assertFalse(settle("t", 0).found());
    advance(5 * SECOND - 1);
    assertTrue(settle("u", 0).found(), "counted from the end of the wait");
  }

  @Test
  void settle_ofADeniedTake_isNotFound() {
    take(TEN, 10);
    take(reserve(1, 0, "t", TEN));
    assertFalse(settle("t", 0).found());
  }

  @Test
  void settle_givesNothingBackToALaterWindow() {
    Budget fixed = budget("fixed", new Limit.FixedWindow(5, 10 * SECOND));
    Budget counter = budget("counter", new Limit.SlidingCounter(5, 10 * SECOND));
    Budget log = budget("log", new Limit.SlidingLog(5, 10 * SECOND));
    take(reserve(5, 0, "t", fixed, counter, log));
    advance(20 * SECOND);
    take(of(4, fixed, counter, log));
    settle("t", 0);
    assertEquals(1, available(fixed));
    assertEquals(1, available(counter));
    assertEquals(1, available(log));
  }

  @Test
  void settle_afterItsRuleChanged_givesNothingBack_butChargesMore() {
    take(reserve(8, 0, "t", TEN));
    take(reserve(1, 0, "u", TEN));
    Budget later = next(TEN, ten(), OnChange.RESET);
    take(later, 5);
    settle("t", 0);
    assertEquals(5, available(later), "the reset has given it back before");
    settle("u", 3);
    assertEquals(3, available(later));
  }

  @Test
  void settle_ofACounter_goesToTheWindowThatWasCharged() {
    Budget counter = budget("counter", new Limit.SlidingCounter(10, 10 * SECOND));
    take(reserve(10, 0, "t", counter));
    advance(19 * SECOND); // of the 10, 1 still counts
    take(counter, 9);
    settle("t", 0);
    assertEquals(1, available(counter));
  }

  @Test
  void lease_isHalfOfWhatIsLeft_andWithinTheLendingRoom() {
    Budget leases = lending("lent", ten(), 6, SECOND);
    assertEquals(5, take(lease(100, "a", leases)).leased());
    assertEquals(5, available(leases));
    assertEquals(1, take(lease(100, "b", leases)).leased(), "6 may be out");
    assertEquals(0, take(lease(100, "c", leases)).leased());
    assertFalse(settle("c", 0).found(), "nothing to settle");
  }

  @Test
  void lease_returned_makesRoom_andLostOnesStopCountingAfterTwoTtls() {
    Budget leases = lending("lent", new Limit.Bucket(1000, SECOND, 1), 6, SECOND);
    assertEquals(6, take(lease(100, "a", leases)).leased());
    assertEquals(new Outcome.Settled(true, 2), settle("a", 4));
    assertEquals(996, available(leases));
    assertEquals(6, take(lease(100, "b", leases)).leased(), "the lease is no longer out");
    advance(SECOND);
    assertEquals(0, take(lease(100, "c", leases)).leased());
    advance(SECOND);
    assertEquals(6, take(lease(100, "d", leases)).leased());
  }

  @Test
  void lease_needsLendingOfEveryEnforcedBudget() {
    Budget leases = lending("lent", ten(), 6, SECOND);
    assertEquals(0, take(lease(4, "a", leases, TEN)).leased());
    assertEquals(0, take(lease(4, "b", shadow("~s", ten()))).leased());
    assertEquals(4, take(lease(4, "c", leases, shadow("~s", ten()))).leased());
    assertEquals(6, available(shadow("~s", ten())));
  }

  @Test
  void lease_comesWithTheChecks_onlyIfAllWereAdmitted() {
    Budget leases = lending("lent", ten(), 100, SECOND);
    List<Charge> charges = List.of(new Charge(leases, 1));
    Outcome.Taken taken = take(new Take(charges, 4, false, 0, 100, Optional.empty()));
    assertEquals(4, taken.admitted());
    assertEquals(3, taken.leased());
    assertEquals(0, take(new Take(charges, 4, false, 0, 1, Optional.empty())).leased());
  }

  @Test
  void L6_olderVersion_isStale_andDoesNothing() {
    Budget later = next(TEN, ten(), OnChange.AS_IS);
    take(later, 1);
    Budget other = budget("other", ten());
    assertEquals(new Outcome.Stale(2), apply(of(1, other, TEN)));
    assertEquals(new Outcome.Stale(2), apply(of(0, TEN)));
    assertEquals(new Outcome.Stale(2), apply(new Operation.Reset(List.of(other, TEN))));
    assertEquals(10, available(other));
    assertEquals(9, available(later));
  }

  @Test
  void change_keepsWhatIsDeclared() {
    Limit twenty = new Limit.Bucket(20, SECOND, 2);
    Limit five = new Limit.Bucket(5, SECOND, 1);
    assertChanged(6, twenty, OnChange.AS_IS, 6);
    assertChanged(6, five, OnChange.AS_IS, 5);
    assertChanged(6, twenty, OnChange.RESET, 20);
    assertChanged(6, twenty, OnChange.PROPORTIONAL, 12);
    assertChanged(5, five, OnChange.PROPORTIONAL, 2);
    assertChanged(6, twenty, OnChange.ADDITIVE, 16);
    assertChanged(4, five, OnChange.ADDITIVE, -1);
    assertChanged(1, new Limit.FixedWindow(7, SECOND), OnChange.AS_IS, 7);
  }

  private int changes;

  private void assertChanged(long left, Limit to, OnChange onChange, long expected) {
    Budget before = budget("change" + changes++, ten());
    take(before, 10 - left);
    Budget after = next(before, to, onChange);
    assertEquals(expected, available(after), onChange + " to " + to);
    take(after, 1);
    assertEquals(2, expected > 0 ? look(after).version() : 2);
  }

  /** The debt of a slow rate, counted in small parts of a microsecond, would not be exact. */
  @Test
  void change_ofAPacedLimitDeepInDebt_staysExact() {
    Budget slow = budget("slow", new Limit.Paced(30 * 24 * Limit.HOUR, 1));
    take(slow, Limit.MAX_COST);
    assertEquals(Limit.DEBT, take(slow, 1).retry());
    Budget fast = next(slow, new Limit.Paced(Limit.HOUR, 143_557), OnChange.AS_IS);
    assertEquals(Limit.DEBT / 143_557, take(fast, 1).retry());
  }

  @Test
  void reset_beginsAnew() {
    take(TEN, 10);
    Outcome.Done done = (Outcome.Done) apply(new Operation.Reset(List.of(TEN)));
    assertEquals(List.of(new Outcome.Standing(10, 0, false, 1)), done.standings());
    assertEquals(1, take(TEN, 10).admitted());
  }

  @Test
  void once_hasItsEffectOnce_andTheFirstAnswer() {
    BudgetRequest request = once(of(4, TEN), "r", "print");
    Outcome first = apply(DOMAIN, request).get(0);
    advance(SECOND);
    assertEquals(List.of(first, first), apply(DOMAIN, request, request));
    assertEquals(7, available(TEN));
    assertEquals(new Outcome.Reused(), apply(DOMAIN, once(of(5, TEN), "r", "other")).get(0));
    assertEquals(7, available(TEN));
    advance(BudgetRequest.IdempotencyKey.RETENTION - SECOND);
    apply(DOMAIN, request);
    assertEquals(6, available(TEN), "forgotten, and so done again");
  }

  @Test
  void once_denialIsRememberedToo_butNotStaleness() {
    take(TEN, 10);
    BudgetRequest request = once(of(1, TEN), "r", "print");
    Outcome denied = apply(DOMAIN, request).get(0);
    advance(5 * SECOND);
    assertEquals(denied, apply(DOMAIN, request).get(0));
    Budget later = next(TEN, ten(), OnChange.AS_IS);
    take(later, 1);
    assertInstanceOf(Outcome.Stale.class, apply(DOMAIN, once(of(1, TEN), "s", "p")).get(0));
    assertInstanceOf(Outcome.Taken.class, apply(DOMAIN, once(of(1, later), "s", "p")).get(0));
  }

  @Test
  void batch_isAppliedInOrder() {
    List<Outcome> outcomes =
        apply(
            DOMAIN,
            BudgetRequest.of(of(9, TEN)),
            BudgetRequest.of(of(2, TEN)),
            BudgetRequest.of(of(1, TEN)),
            BudgetRequest.of(new Operation.Settle("none", 0)));
    assertEquals(
        List.of(1, 0, 1),
        outcomes.subList(0, 3).stream().map(o -> ((Outcome.Taken) o).admitted()).toList());
    assertEquals(new Outcome.Settled(false, 0), outcomes.get(3));
    assertEquals(List.of(), apply(DOMAIN));
  }

  @Test
  void domains_areApart() {
    take(TEN, 10);
    Outcome other = apply("other", BudgetRequest.of(of(10, TEN))).get(0);
    assertEquals(1, ((Outcome.Taken) other).admitted());
  }

  @Test
  void clockBack_budgetRefillsFromWhereItWas_evenIfAllChecksAreDenied() {
    Budget fixed = budget("fixed", new Limit.FixedWindow(1, 10 * SECOND));
    Budget counter = budget("counter", new Limit.SlidingCounter(1, 10 * SECOND));
    Budget log = budget("log", new Limit.SlidingLog(1, 10 * SECOND));
    Budget bucket = budget("bucket", new Limit.Bucket(1, 10 * SECOND, 1));
    Budget paced = budget("paced", new Limit.Paced(10 * SECOND, 1));
    for (Budget budget : List.of(fixed, counter, log, bucket, paced)) {
      setTime(START);
      take(budget, 1);
      setTime(START - 24 * Limit.HOUR);
      long retry = take(budget, 1).retry();
      assertTrue(retry > 0 && retry <= 20 * SECOND, budget.key() + " in " + retry);
      advance(retry - 1);
      assertEquals(1, take(budget, 1).retry(), budget.key());
      advance(1);
      assertEquals(1, take(budget, 1).admitted(), budget.key());
    }
  }

  @Test
  void clockBack_lentBudgetStopsCountingAfterTwoTtls() {
    Budget leases = lending("lent", new Limit.Bucket(1000, SECOND, 1), 6, SECOND);
    take(lease(6, "a", leases));
    setTime(START - Limit.HOUR);
    assertEquals(0, take(lease(6, "b", leases)).leased());
    advance(2 * SECOND);
    assertEquals(6, take(lease(6, "c", leases)).leased());
  }

  @Test
  void L1_manyThreads_neverAdmitMoreThanThereIs() {
    Budget tight = budget("tight", new Limit.Bucket(1000, Limit.HOUR, 1));
    Budget wide = budget("wide", new Limit.FixedWindow(1_000_000, Limit.HOUR));
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<CompletableFuture<Integer>> counts =
          IntStream.range(0, 8)
              .mapToObj(i -> CompletableFuture.supplyAsync(() -> admitted(tight, wide), threads))
              .toList();
      assertEquals(1000, counts.stream().mapToInt(CompletableFuture::join).sum());
    } finally {
      threads.shutdownNow();
    }
    assertEquals(0, available(tight));
    assertEquals(1_000_000 - 1000, available(wide));
  }

  private int admitted(Budget... budgets) {
    int admitted = 0;
    for (int i = 0; i < 200; i++) {
      admitted += take(of(1, budgets).times(i % 2 + 1)).admitted();
    }
    return admitted;
  }
}
