package dev.plinth.ratelimit.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
    return budgets.apply(List.of(Request.of(taking(key))), now).get(0);
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
    assertTrue(memory.used() < memory.most() + 1_000, () -> memory.used() + " bytes");
    Outcome.Taken denied = assertInstanceOf(Outcome.Taken.class, take("mine", SECOND));
    assertEquals(0, denied.admitted(), "its budget did not begin anew");
  }

  @Test
  void fullMemory_takesWhatFreesIt_andAnswersWhatItKnows() {
    Request.Once once = new Request.Once("first", "f");
    Request first = new Request(taking("first"), Optional.of(once));
    Outcome known = budgets.apply(List.of(first), SECOND).get(0);
    for (int i = 0; i < 10_000; i++) {
      take("random-" + i, SECOND);
    }
    assertInstanceOf(Outcome.Undecided.class, take("late", SECOND));
    assertEquals(known, budgets.apply(List.of(first), SECOND).get(0));
    Request settle =
        new Request(new Operation.Settle("none", 0), Optional.of(new Request.Once("second", "s")));
    assertInstanceOf(Outcome.Settled.class, budgets.apply(List.of(settle), SECOND).get(0));
    Request reset = Request.of(new Operation.Reset(List.of(budget("other"))));
    assertInstanceOf(Outcome.Undecided.class, budgets.apply(List.of(reset), SECOND).get(0));
  }

  @Test
  void row_countsWhatItHolds_notOnlyItself() {
    Rows<Place> rows = Rows.of(false, memory);
    rows.put("a", new Place(1, SECOND, List.of()));
    long empty = memory.used();
    rows.put("a", new Place(1, SECOND, Collections.nCopies(100, "a budget's key")));
    assertTrue(memory.used() > empty + 100 * "a budget's key".length(), memory.used() + " bytes");
    rows.put("a", new Place(1, SECOND, List.of()));
    assertEquals(empty, memory.used());
    rows.remove("a");
    assertEquals(0, memory.used());
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
