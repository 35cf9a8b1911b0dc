package dev.plinth.ratelimit.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.OnChange;
import dev.plinth.ratelimit.store.Budget;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.Charge;
import dev.plinth.ratelimit.store.Operation;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.ratelimit.store.RowMemory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Rows of budgets have a bound in bytes; a live one is never dropped to make room. */
class RowMemoryTest {
  private static final long SECOND = 1_000_000;

  private final RowMemory memory = new RowMemory(100_000);
  private final Budgets budgets = new Budgets(memory);

  private Outcome take(String key, long now) {
    return budgets.apply(List.of(BudgetRequest.of(taking(key))), now).get(0);
  }

  private static Operation.Take taking(String key) {
    return Operation.Take.of(List.of(new Charge(budget(key), 1)));
  }

  private static Budget budget(String key) {
    Limit limit = new Limit.Bucket(2, SECOND, 1);
    return new Budget(key, limit, 1, OnChange.AS_IS, false, Optional.empty());
  }

  @Test
  void randomKeys_stayWithinTheBound_andLiveOnesKeepTheirState() {
    take("mine", SECOND);
    take("mine", SECOND);
    int undecided = 0;
    for (int i = 0; i < 10_000; i++) {
      undecided += take("random-" + i, SECOND) instanceof Outcome.Undecided ? 1 : 0;
    }
    assertTrue(undecided > 9_000, undecided + " undecided");
    assertTrue(memory.used() < memory.max() + 1_000, () -> memory.used() + " bytes");
    Outcome.Taken denied = assertInstanceOf(Outcome.Taken.class, take("mine", SECOND));
    assertEquals(0, denied.admitted(), "its budget did not begin anew");
  }

  @Test
  void fullMemory_takesWhatFreesIt_andAnswersWhatItKnows() {
    BudgetRequest.IdempotencyKey once = new BudgetRequest.IdempotencyKey("first", "f");
    BudgetRequest first = new BudgetRequest(taking("first"), Optional.of(once));
    Outcome known = budgets.apply(List.of(first), SECOND).get(0);
    for (int i = 0; i < 10_000; i++) {
      take("random-" + i, SECOND);
    }
    assertInstanceOf(Outcome.Undecided.class, take("late", SECOND));
    assertEquals(known, budgets.apply(List.of(first), SECOND).get(0));
    BudgetRequest settle =
        new BudgetRequest(
            new Operation.Settle("none", 0),
            Optional.of(new BudgetRequest.IdempotencyKey("second", "s")));
    assertInstanceOf(Outcome.Settled.class, budgets.apply(List.of(settle), SECOND).get(0));
    BudgetRequest reset = BudgetRequest.of(new Operation.Reset(List.of(budget("other"))));
    assertInstanceOf(Outcome.Undecided.class, budgets.apply(List.of(reset), SECOND).get(0));
  }

  @Test
  void row_countsWhatItHolds_notOnlyItself() {
    RowTable<SlotRow> rows = RowTable.of(false, memory.ofDomain());
    rows.put("a", new SlotRow(1, SECOND, List.of()));
    long empty = memory.used();
    rows.put("a", new SlotRow(1, SECOND, Collections.nCopies(100, "a budget's key")));
    assertTrue(memory.used() > empty + 100 * "a budget's key".length(), memory.used() + " bytes");
    rows.put("a", new SlotRow(1, SECOND, List.of()));
    assertEquals(empty, memory.used());
    rows.remove("a");
    assertEquals(0, memory.used());
  }

  @Test
  void oneDomain_leavesRoomForTheNext() {
    for (int i = 0; i < 10_000; i++) {
      take("random-" + i, SECOND);
    }
    assertInstanceOf(Outcome.Undecided.class, take("late", SECOND));
    assertTrue(memory.used() < memory.max() / 2 + 1_000, () -> memory.used() + " bytes");
    for (int domain = 2; domain < 5; domain++) {
      Budgets next = new Budgets(memory);
      int taken = 0;
      for (int i = 0; i < 1_000; i++) {
        Outcome outcome =
            next.apply(List.of(BudgetRequest.of(taking("random-" + i))), SECOND).get(0);
        taken += outcome instanceof Outcome.Taken ? 1 : 0;
      }
      assertTrue(taken > 10 && taken < 1_000, taken + " in domain " + domain);
      assertTrue(memory.used() < memory.max(), () -> memory.used() + " bytes");
    }
  }

  @Test
  void slidingLogs_haveTheirMemoryFromTheStart_andGrowNoFurther() {
    Limit log = new Limit.SlidingLog(100, 1_000 * SECOND);
    long afterFirst = 0;
    for (int round = 0; round < 100; round++) {
      int taken = 0;
      for (int i = 0; i < 500; i++) {
        Budget budget = new Budget("k" + i, log, 1, OnChange.AS_IS, false, Optional.empty());
        BudgetRequest take = BudgetRequest.of(Operation.Take.of(List.of(new Charge(budget, 1))));
        Outcome outcome = budgets.apply(List.of(take), SECOND + round).get(0);
        taken += outcome instanceof Outcome.Taken ? 1 : 0;
      }
      assertTrue(taken > 10 && taken < 500, taken + " taken, of those that were there first");
      afterFirst = round == 0 ? memory.used() : afterFirst;
    }
    assertEquals(afterFirst, memory.used());
  }

  private static final Limit FAST = new Limit.Bucket(2, SECOND, 1);

  private static Outcome takeAndDrop(Budgets tracked, String key, long now) {
    Budget budget = new Budget(key, FAST, 1, OnChange.AS_IS, false, Optional.empty());
    BudgetRequest take = BudgetRequest.of(Operation.Take.of(List.of(new Charge(budget, 1))));
    Outcome outcome = tracked.apply(List.of(take), now).get(0);
    tracked.sweep(10, now + SECOND);
    return outcome;
  }

  @Test
  void removedRows_takeMemoryUntilTheyAreWritten() {
    Budgets tracked = Budgets.tracked(() -> 1, memory);
    int taken = 0;
    for (int i = 0; i < 10_000; i++) { // and the disk fails
      taken += takeAndDrop(tracked, "k" + i, i * 10 * SECOND) instanceof Outcome.Taken ? 1 : 0;
    }
    assertEquals(0, tracked.size());
    assertTrue(taken < 1_000, taken + " keys are remembered as removed");
    assertTrue(memory.used() > memory.max() / 3, () -> memory.used() + " bytes");
    readAll(tracked.snapshot());
    assertEquals(0, memory.used());
    assertInstanceOf(Outcome.Taken.class, takeAndDrop(tracked, "k", 200_000 * SECOND));
  }

  @Test
  void overwrittenRows_takeMemoryUntilTheSnapshotIsRead() {
    Budgets tracked = Budgets.tracked(() -> 1, memory);
    for (int i = 0; i < 50; i++) {
      tracked.apply(List.of(BudgetRequest.of(taking("k" + i))), SECOND);
    }
    long before = memory.used();
    BudgetsSnapshot snapshot = tracked.snapshot();
    for (int i = 0; i < 50; i++) {
      tracked.apply(List.of(BudgetRequest.of(taking("k" + i))), SECOND);
    }
    assertTrue(memory.used() >= before + 50 * 100, () -> memory.used() + " bytes");
    readAll(snapshot);
    assertEquals(before, memory.used());
  }

  private static void readAll(BudgetsSnapshot snapshot) {
    while (snapshot.read(7, new ArrayList<>())) {}
  }

  @Test
  void rowsThatAreOver_makeRoom() {
    for (int i = 0; i < 10_000; i++) {
      take("random-" + i, SECOND);
    }
    assertInstanceOf(Outcome.Undecided.class, take("late", SECOND));
    assertInstanceOf(Outcome.Taken.class, take("late", 1_000 * SECOND));
  }
}
