package dev.plinth.ratelimit.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.Operation.Reset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a ticket may give back, on every store. */
public abstract class BudgetTicketsContract extends BudgetStoreCase {
  private static final Budget TEN = budget("ten", ten());
  private static final List<Limit> LIMITS =
      List.of(
          ten(),
          new Limit.Bucket(50, 700_003, 3),
          new Limit.Paced(SECOND, 3),
          new Limit.FixedWindow(20, 10 * SECOND),
          new Limit.SlidingCounter(20, 10 * SECOND),
          new Limit.SlidingLog(20, 10 * SECOND));

  private void reset(Budget budget) {
    apply(new Reset(List.of(budget)));
  }

  @Test
  void settle_ofABucket_givesBackOnlyWhatHasNotRefilledSince() {
    take(reserve(8, 0, "t", TEN));
    advance(3 * SECOND);
    take(TEN, 5);
    assertEquals(0, available(TEN));
    settle("t", 0);
    assertEquals(5, available(TEN), "3 of the 8 have refilled");
    advance(60 * SECOND);
    take(reserve(4, 0, "u", TEN));
    advance(3 * SECOND + SECOND / 2);
    take(TEN, 9);
    assertEquals(0, available(TEN), "half a unit is left");
    settle("u", 0);
    assertEquals(1, available(TEN), "and half a unit came back");
  }

  @Test
  void settle_ofAPacedLimit_givesBackOnlyWhatHasNotRefilledSince() {
    Budget paced = budget("paced", new Limit.Paced(SECOND, 1));
    take(reserve(2, 0, "t", paced));
    advance(2 * SECOND);
    take(paced, 3);
    settle("t", 0);
    assertEquals(3 * SECOND, take(paced, 1).retry());
  }

  @Test
  void reservationsSettledForNothing_cannotBeHoarded() {
    Budget hundred = budget("hundred", new Limit.Bucket(100, SECOND, 100));
    int reserved = 0;
    while (take(reserve(1, 4 * SECOND, "h" + reserved, hundred)).admitted() > 0) {
      reserved++;
    }
    assertEquals(500, reserved);
    advance(10 * SECOND);
    int spent = 0;
    for (int i = 0; i < reserved; i++) {
      spent += take(hundred, 1).admitted();
      settle("h" + i, 0);
    }
    assertEquals(100, spent, "no more than the burst at one instant");
  }

  /** Refunds one after the other must not make room for the next one's. */
  @Test
  void reservationsSettledEarlyAndLate_cannotBeHoarded() {
    Budget hundred = budget("hundred", new Limit.Bucket(100, SECOND, 100));
    for (int i = 0; i < 500; i++) {
      take(reserve(1, 4 * SECOND, "h" + i, hundred));
    }
    for (int i = 0; i < 250; i++) {
      settle("h" + i, 0);
    }
    advance(5 * SECOND / 2);
    int spent = 0;
    for (int i = 250; i < 500; i++) {
      spent += take(hundred, 1).admitted();
      settle("h" + i, 0);
    }
    assertEquals(100, spent, "no more than the burst at one instant");
  }

  /** A ticket, and the same budget charged with the actual cost from the start. */
  private record Open(String ticket, long actual) {}

  @Test
  void L11_settled_leavesNoMoreThanIfOnlyTheActualCostHadBeenCharged() {
    for (Limit limit : LIMITS) {
      Random random = new Random(11);
      Budget reserved = budget("L11 r " + LIMITS.indexOf(limit), limit);
      Budget actual = budget("L11 a " + LIMITS.indexOf(limit), limit);
      List<Open> open = new ArrayList<>();
      for (int i = 0; i < 400; i++) {
        advance(random.nextInt(3) == 0 ? 0 : random.nextLong(SECOND));
        long cost = 1 + random.nextLong(Math.max(3, limit.size() / 2));
        if (random.nextBoolean()) {
          String ticket = "L11 " + LIMITS.indexOf(limit) + " " + i;
          if (take(reserve(cost, 2 * SECOND, ticket, reserved)).admitted() > 0) {
            long part = random.nextLong(cost + 1);
            take(reserve(part, 2 * SECOND, ticket + " actual", actual));
            open.add(new Open(ticket, part));
          }
        } else if (!open.isEmpty()) {
          Open one = open.remove(random.nextInt(open.size()));
          assertTrue(settle(one.ticket, one.actual).found(), one.ticket);
        }
        if (i % 40 == 39) {
          open.forEach(one -> settle(one.ticket, one.actual));
          open.clear();
        }
        assertTrue(available(reserved) <= available(actual), limit + " after " + i);
      }
    }
  }

  @Test
  void reset_leavesNothingForALateSettleToGiveBack() {
    for (Limit limit : LIMITS) {
      Budget budget = budget("reset " + LIMITS.indexOf(limit), limit);
      take(reserve(1, 0, "before " + limit, budget));
      reset(budget);
      take(budget, 1);
      long left = look(budget).available();
      assertTrue(settle("before " + limit, 0).found());
      assertEquals(left, available(budget), limit + ": the reset has given it back before");
    }
  }

  @Test
  void reset_isRemembered_evenIfTheBudgetIsForgottenMeanwhile() {
    Budget window = budget("window", new Limit.FixedWindow(10, Limit.HOUR));
    take(reserve(8, 0, "t", window));
    reset(window);
    advance(50 * SECOND); // nothing of it is used
    take(window, 9);
    settle("t", 0);
    assertEquals(1, available(window));
  }

  @Test
  void reset_leavesTicketsOfLaterAndOfOtherBudgets() {
    Budget other = budget("other", ten());
    take(reserve(4, 0, "before", TEN, other));
    reset(TEN);
    advance(1);
    take(reserve(4, 0, "after", TEN));
    settle("before", 0);
    assertEquals(10, available(other));
    assertEquals(6, available(TEN));
    settle("after", 1);
    assertEquals(9, available(TEN));
  }

  @Test
  void reset_leavesWhatIsLent_untilItIsReturned() {
    Budget leases = lending("lent", new Limit.Bucket(1000, SECOND, 1), 6, 10 * SECOND);
    assertEquals(6, take(lease(6, "a", leases)).leased());
    reset(leases);
    assertEquals(0, take(lease(6, "b", leases)).leased());
    settle("a", 0);
    assertEquals(1000, available(leases));
    assertEquals(6, take(lease(6, "c", leases)).leased());
  }

  @Test
  void giveBack_ofMoreThanWasLeased_givesBackAllOfIt_andNoMore() {
    Budget leases = lending("lent", ten(), 6, SECOND);
    take(leases, 2);
    assertEquals(4, take(lease(4, "a", leases)).leased());
    assertEquals(new Outcome.Settled(true, 4), giveBack("a", Limit.MAX_COST));
    assertEquals(8, available(leases));
    assertFalse(giveBack("a", 1).found());
    assertFalse(giveBack("none", 1).found());
    take(lease(4, "b", leases));
    assertEquals(new Outcome.Settled(true, 1), giveBack("b", 1));
    assertEquals(5, available(leases));
  }

  private Outcome.Settled giveBack(String ticket, long unused) {
    return (Outcome.Settled) apply(new Operation.ReturnUnused(ticket, unused));
  }
}
