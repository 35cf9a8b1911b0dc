package dev.plinth.ratelimit.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.Operation.AcquireSlot;
import dev.plinth.ratelimit.store.Operation.ReleaseSlot;
import dev.plinth.ratelimit.store.Operation.RenewSlot;
import dev.plinth.ratelimit.store.Operation.Reset;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Concurrency limits, as every store keeps them. */
public abstract class BudgetSlotsContract extends BudgetStoreCase {
  private static final Budget TWO = budget("two", new Limit.Concurrency(2));
  private static final Budget ONE = budget("one", new Limit.Concurrency(1));

  private Outcome.SlotOutcome acquire(String slot, long ttl, Budget... budgets) {
    return (Outcome.SlotOutcome) apply(new AcquireSlot(List.of(budgets), slot, ttl));
  }

  private boolean renew(String slot, long ttl) {
    return ((Outcome.Held) apply(new RenewSlot(slot, ttl))).held();
  }

  private boolean release(String slot) {
    return ((Outcome.Held) apply(new ReleaseSlot(slot))).held();
  }

  @Test
  void acquire_upToTheLimit_thenFullUntilTheFirstRunsOut() {
    Outcome.SlotOutcome first = acquire("a", 5 * SECOND, TWO);
    assertTrue(first.acquired());
    assertEquals(List.of(new Outcome.Standing(1, 5 * SECOND, false, 0)), first.standings());
    assertTrue(acquire("b", 3 * SECOND, TWO).acquired());
    Outcome.SlotOutcome full = acquire("c", SECOND, TWO);
    assertEquals(
        new Outcome.SlotOutcome(
            false, 0, 3 * SECOND, List.of(new Outcome.Standing(0, 5 * SECOND, true, 0))),
        full);
    advance(3 * SECOND - 1);
    assertFalse(acquire("c", SECOND, TWO).acquired());
    advance(1);
    assertTrue(acquire("c", SECOND, TWO).acquired());
  }

  @Test
  void acquire_again_isTheSamePlace_renewed() {
    long token = acquire("a", SECOND, ONE).token();
    Outcome.SlotOutcome again = acquire("a", 9 * SECOND, ONE);
    assertEquals(token, again.token());
    assertEquals(List.of(new Outcome.Standing(0, 9 * SECOND, false, 0)), again.standings());
  }

  @Test
  void acquire_inSeveral_isAllOrNothing() {
    acquire("a", 5 * SECOND, ONE);
    Outcome.SlotOutcome full = acquire("b", SECOND, TWO, ONE);
    assertEquals(
        List.of(false, true), full.standings().stream().map(Outcome.Standing::over).toList());
    assertEquals(2, full.standings().get(0).available());
    release("a");
    assertTrue(acquire("b", SECOND, TWO, ONE).acquired());
    assertEquals(1, look(TWO).available());
  }

  @Test
  void acquire_withAFullShadow_isGiven() {
    Budget shadow = shadow("~one", new Limit.Concurrency(1));
    acquire("a", SECOND, TWO, shadow);
    Outcome.SlotOutcome second = acquire("b", SECOND, TWO, shadow);
    assertTrue(second.acquired());
    assertTrue(second.standings().get(1).over());
    assertEquals(0, second.standings().get(1).available());
  }

  @Test
  void token_risesWithEachPlaceGiven() {
    long last = 0;
    for (int i = 0; i < 20; i++) {
      Outcome.SlotOutcome slotted = acquire("s" + i, SECOND, ONE);
      assertTrue(slotted.token() > last);
      last = slotted.token();
      assertTrue(release("s" + i));
      assertFalse(release("s" + i));
      setTime(START - i * SECOND);
    }
  }

  @Test
  void renew_keepsIt_butNotAfterItRanOut() {
    acquire("a", 2 * SECOND, ONE);
    advance(2 * SECOND - 1);
    assertTrue(renew("a", 2 * SECOND));
    advance(2 * SECOND);
    assertFalse(renew("a", SECOND));
    assertFalse(release("a"));
    assertTrue(acquire("b", SECOND, ONE).acquired());
  }

  @Test
  void lowerLimit_isFullUntilEnoughRanOut() {
    Budget three = budget("two", new Limit.Concurrency(3));
    acquire("a", SECOND, three);
    acquire("b", 2 * SECOND, three);
    acquire("c", 3 * SECOND, three);
    Outcome.SlotOutcome full = acquire("d", SECOND, TWO);
    assertEquals(2 * SECOND, full.retry());
    assertEquals(-1, full.standings().get(0).available());
  }

  @Test
  void reset_endsTheSlots() {
    acquire("a", Limit.HOUR, ONE, TWO);
    apply(new Reset(List.of(ONE)));
    assertFalse(renew("a", SECOND));
    assertEquals(1, look(ONE).available());
    assertEquals(2, look(TWO).available(), "a slot is a place in all of them");
  }

  @Test
  void clockBack_noPlaceIsTakenForLongerThanTheLongestTtl() {
    acquire("a", Limit.HOUR, ONE);
    setTime(START - 48 * Limit.HOUR);
    assertEquals(Limit.HOUR, acquire("b", SECOND, ONE).retry());
    advance(Limit.HOUR);
    assertTrue(acquire("b", SECOND, ONE).acquired());
  }

  @Test
  void once_acquiresOnce() {
    BudgetRequest request = once(new AcquireSlot(List.of(TWO), "a", SECOND), "r", "print");
    assertEquals(apply(DOMAIN, request), apply(DOMAIN, request));
    assertEquals(1, look(TWO).available());
  }

  private Outcome.SlotOutcome acquireOnce(String slot, long ttl) {
    BudgetRequest request = once(new AcquireSlot(List.of(ONE), slot, ttl), "r-" + slot, "print");
    return (Outcome.SlotOutcome) apply(DOMAIN, request).get(0);
  }

  @Test
  void onceAgain_whileHeld_isTheSamePlace_renewed() {
    long token = acquireOnce("a", 10 * SECOND).token();
    advance(9 * SECOND);
    Outcome.SlotOutcome again = acquireOnce("a", 10 * SECOND);
    assertEquals(token, again.token());
    assertEquals(List.of(new Outcome.Standing(0, 10 * SECOND, false, 0)), again.standings());
    advance(10 * SECOND - 1);
    assertFalse(acquire("b", SECOND, ONE).acquired(), "held as long as was said");
  }

  @Test
  void onceAgain_afterItRanOut_isNotAcquired() {
    acquireOnce("a", SECOND);
    advance(SECOND);
    Outcome.SlotOutcome over =
        new Outcome.SlotOutcome(false, 0, 0, List.of(new Outcome.Standing(1, 0, false, 0)));
    assertEquals(over, acquireOnce("a", SECOND));
    assertTrue(acquire("b", SECOND, ONE).acquired());
    assertFalse(acquireOnce("a", SECOND).acquired(), "the one place is b's");
  }

  @Test
  void onceAgain_afterItsRelease_isNotAcquired() {
    acquireOnce("a", SECOND);
    release("a");
    assertFalse(acquireOnce("a", SECOND).acquired());
    assertEquals(1, look(ONE).available());
  }

  @Test
  void onceAgain_whenTheSlotIsOfAnotherRequest_isNotAcquired() {
    acquireOnce("a", SECOND);
    release("a");
    acquire("a", SECOND, ONE);
    assertFalse(acquireOnce("a", SECOND).acquired());
  }

  @Test
  void acquire_ofASlotThatIsHeldInOtherBudgets_isRefused_andMayBeAskedAgain() {
    acquire("a", SECOND, ONE);
    BudgetRequest other = once(new AcquireSlot(List.of(TWO, ONE), "a", 9 * SECOND), "r", "print");
    assertEquals(List.of(new Outcome.Reused()), apply(DOMAIN, other));
    assertEquals(2, look(TWO).available());
    assertEquals(SECOND, look(ONE).reset(), "it is not renewed");
    release("a");
    assertTrue(((Outcome.SlotOutcome) apply(DOMAIN, other).get(0)).acquired());
  }

  @Test
  void acquire_again_withAShadowThatWasFull_isTheSamePlace() {
    Budget shadow = shadow("~one", new Limit.Concurrency(1));
    acquire("a", SECOND, shadow);
    long token = acquire("b", SECOND, TWO, shadow).token();
    assertEquals(token, acquire("b", SECOND, TWO, shadow).token());
  }

  @Test
  void manyThreads_neverHoldMoreThanThereAre() {
    Budget five = budget("five", new Limit.Concurrency(5));
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<CompletableFuture<Boolean>> given =
          IntStream.range(0, 64)
              .mapToObj(
                  i ->
                      CompletableFuture.supplyAsync(
                          () -> acquire("s" + i, SECOND, five).acquired(), threads))
              .toList();
      assertEquals(5, given.stream().filter(CompletableFuture::join).count());
    } finally {
      threads.shutdownNow();
    }
  }
}
