package dev.plinth.ratelimit.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.OnChange;
import dev.plinth.ratelimit.store.Budget;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.Charge;
import dev.plinth.ratelimit.store.Operation;
import dev.plinth.ratelimit.store.Operation.AcquireSlot;
import dev.plinth.ratelimit.store.Operation.Take;
import dev.plinth.ratelimit.store.Operation.Ticket;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.ratelimit.store.RowMemory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BudgetsMemoryTest {
  private static final long SECOND = 1_000_000;
  private static final long MINUTES = 60 * SECOND;

  private static Budget budget(String key) {
    Limit limit =
        key.startsWith("slot") ? new Limit.Concurrency(1) : new Limit.Bucket(10, SECOND, 1);
    return new Budget(key, limit, 1, OnChange.AS_IS, false, Optional.empty());
  }

  /** One new key, ticket, request id and slot with each call. */
  private static List<BudgetRequest> calls(int i) {
    Take take =
        new Take(
            List.of(new Charge(budget("key" + i), 1)),
            1,
            false,
            0,
            0,
            Optional.of(new Ticket("t" + i, MINUTES)));
    AcquireSlot slot = new AcquireSlot(List.of(budget("slot" + i)), "s" + i, SECOND);
    return List.of(
        new BudgetRequest(take, Optional.of(new BudgetRequest.IdempotencyKey("r" + i, "print"))),
        BudgetRequest.of(slot));
  }

  @Test
  void memory_followsWhatIsInUse_howeverManyKeysCome() {
    Budgets budgets = new Budgets();
    long now = 1_767_225_600_000_000L;
    int most = 0;
    for (int i = 0; i < 100_000; i++) {
      now += SECOND;
      budgets.apply(calls(i), now);
      most = Math.max(most, budgets.size());
    }
    // In use are 1 state, 60 tickets, 600 requests and 1 slot.
    assertTrue(most < 2 * 670, "at most " + most);
    budgets.sweep(Integer.MAX_VALUE, now + 11 * MINUTES);
    assertEquals(0, budgets.size());
  }

  @Test
  void keyOfWhichNothingIsUsed_isDroppedAtOnce_butOneOfWhichSomethingIsLentAfterTwoMinutes() {
    Budgets budgets = new Budgets();
    Budget leases =
        new Budget(
            "lent",
            new Limit.Bucket(10, SECOND, 1),
            1,
            OnChange.AS_IS,
            false,
            Optional.of(new Budget.Lending(5, SECOND)));
    Take lease = new Take(List.of(new Charge(leases, 0)), 1, false, 0, 2, Optional.empty());
    Take plain = Take.of(List.of(new Charge(budget("plain"), 1)));
    budgets.apply(List.of(BudgetRequest.of(plain), BudgetRequest.of(lease)), 0);
    budgets.sweep(10, SECOND - 1);
    assertEquals(2, budgets.size());
    budgets.sweep(10, SECOND);
    assertEquals(1, budgets.size());
    budgets.sweep(10, 2 * MINUTES);
    assertEquals(0, budgets.size());
  }

  @Test
  void whatIsUsed_isNeverDropped() {
    Budgets budgets = new Budgets();
    Limit slow = new Limit.Bucket(10, 24 * Limit.HOUR, 1);
    Budget budget = new Budget("slow", slow, 1, OnChange.AS_IS, false, Optional.empty());
    BudgetRequest take = BudgetRequest.of(Take.of(List.of(new Charge(budget, 10))));
    budgets.apply(List.of(take), 0);
    budgets.sweep(10, 9 * 24 * Limit.HOUR);
    assertEquals(1, budgets.size());
    List<Outcome> denied = budgets.apply(List.of(take), 9 * 24 * Limit.HOUR);
    assertEquals(24 * Limit.HOUR, ((Outcome.Taken) denied.get(0)).retry());
  }

  @Test
  void changes_areToldOnce_alsoWhenAKeyComesBack() {
    Budgets budgets = Budgets.tracked(() -> 1, new RowMemory(Long.MAX_VALUE));
    budgets.apply(calls(1), 0);
    budgets.apply(calls(1), 0);
    assertEquals(List.of("b key1", "t t1", "r r1", "s s1"), told(budgets));
    assertEquals(List.of(), told(budgets));
    budgets.apply(calls(1), 1);
    budgets.sweep(10, 20 * MINUTES);
    budgets.apply(calls(1), 20 * MINUTES);
    List<String> told = told(budgets);
    assertTrue(told.indexOf("-b key1") < told.indexOf("b key1"), told.toString());
    assertEquals(1, told.stream().filter("b key1"::equals).count());
  }

  private static List<String> told(Budgets budgets) {
    List<String> told = new ArrayList<>();
    List<Budgets.Change> changes = new ArrayList<>();
    BudgetsSnapshot snapshot = budgets.snapshot();
    while (snapshot.read(2, changes)) {}
    for (Budgets.Change change : changes) {
      told.add((change.isRemoval() ? "-" : "") + change.kind().letter() + " " + change.key());
    }
    return told;
  }

  @Test
  void snapshot_isOfOneMoment_whateverChangesWhileItIsRead() {
    Random random = new Random(5);
    Map<String, Budgets.Change> disk = new HashMap<>();
    Budgets budgets = Budgets.tracked(() -> 1, new RowMemory(Long.MAX_VALUE));
    long now = 1_767_225_600_000_000L;
    for (int round = 0; round < 50; round++) {
      long cut = now + 100;
      change(budgets, random, cut);
      List<Outcome> expected = looks(budgets, cut);
      BudgetsSnapshot snapshot = budgets.snapshot();
      now = cut;
      List<Budgets.Change> some = new ArrayList<>();
      while (snapshot.read(1 + random.nextInt(7), some)) {
        now += random.nextInt(3) == 0 ? SECOND : 0;
        change(budgets, random, now);
      }
      some.forEach(change -> disk.put(change.kind().letter() + change.key(), change));
      assertEquals(expected, looks(restored(disk.values()), cut), "round " + round);
    }
  }

  private static void change(Budgets budgets, Random random, long now) {
    for (int i = random.nextInt(4); i >= 0; i--) {
      String ticket = "t" + random.nextInt(20);
      BudgetRequest take =
          BudgetRequest.of(
              new Take(
                  List.of(new Charge(budget("key" + random.nextInt(20)), 1 + random.nextInt(3))),
                  1,
                  false,
                  0,
                  0,
                  Optional.of(new Ticket(ticket, SECOND))));
      BudgetRequest settle = BudgetRequest.of(new Operation.Settle("t" + random.nextInt(20), 0));
      budgets.apply(List.of(random.nextInt(3) > 0 ? take : settle), now);
    }
  }

  private static Budgets restored(Collection<Budgets.Change> rows) {
    Budgets restored = new Budgets();
    for (Budgets.Change row : rows) {
      if (!row.isRemoval()) {
        restored.restore(row.kind(), row.key(), row.text());
      }
    }
    return restored;
  }

  private static List<Outcome> looks(Budgets budgets, long now) {
    List<BudgetRequest> looks = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      looks.add(BudgetRequest.of(Take.of(List.of(new Charge(budget("key" + i), 0)))));
    }
    return budgets.apply(looks, now);
  }

  @Test
  void changes_ofOneThatDoesNotTrackThem_areRefused() {
    assertThrows(IllegalStateException.class, () -> new Budgets().snapshot());
  }
}
