package dev.plinth.ratelimit.store.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.BudgetSlotsContract;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.BudgetStoreContract;
import dev.plinth.ratelimit.store.BudgetTicketsContract;
import dev.plinth.ratelimit.store.InvariantsContract;
import dev.plinth.ratelimit.store.Operation;
import dev.plinth.ratelimit.store.Operation.AcquireSlot;
import dev.plinth.ratelimit.store.Outcome.SlotOutcome;
import dev.plinth.ratelimit.store.RowMemory;
import dev.plinth.testkit.ManualClock;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The contracts, for the store without a file, of one of several nodes. */
class MemoryBudgetStoreTest {
  private static final class Timed {
    private volatile long now;

    EmbeddedBudgetStore open() {
      return EmbeddedBudgetStore.open(
          () -> now, new ManualClock().scheduler(), new RowMemory(1L << 30));
    }
  }

  @Test
  void domainThatHoldsNothing_isNotKept_whateverNamesCallersMakeUp() {
    try (EmbeddedBudgetStore store = new Timed().open()) {
      BudgetRequest.IdempotencyKey once = new BudgetRequest.IdempotencyKey("id", "fingerprint");
      for (int i = 0; i < 1_000; i++) {
        BudgetRequest settle = new BudgetRequest(new Operation.Settle("t", 0), Optional.of(once));
        BudgetRequest release = BudgetRequest.of(new Operation.ReleaseSlot("s"));
        store.apply("made-up-" + i, List.of(settle, release)).toCompletableFuture().join();
      }
      assertEquals(0, store.domains());
      assertEquals(0, store.rows().orElseThrow().used());
    }
  }

  @Nested
  class Store extends BudgetStoreContract {
    private final Timed timed = new Timed();

    @Override
    protected BudgetStore open() {
      return timed.open();
    }

    @Override
    protected void at(long micros) {
      timed.now = micros;
    }
  }

  @Nested
  class Slots extends BudgetSlotsContract {
    private final Timed timed = new Timed();

    @Override
    protected BudgetStore open() {
      return timed.open();
    }

    @Override
    protected void at(long micros) {
      timed.now = micros;
    }

    @Test
    void token_isHigher_atTheNodeThatADomainMovesTo() {
      AcquireSlot acquire =
          new AcquireSlot(List.of(budget("jobs", new Limit.Concurrency(3))), "s1", SECOND);
      long before = ((SlotOutcome) apply(acquire)).token();
      advance(1);
      store.close();
      store = open();
      assertTrue(((SlotOutcome) apply(acquire)).token() > before);
    }
  }

  @Nested
  class Tickets extends BudgetTicketsContract {
    private final Timed timed = new Timed();

    @Override
    protected BudgetStore open() {
      return timed.open();
    }

    @Override
    protected void at(long micros) {
      timed.now = micros;
    }
  }

  @Nested
  class Invariants extends InvariantsContract {
    private final Timed timed = new Timed();

    @Override
    protected BudgetStore open() {
      return timed.open();
    }

    @Override
    protected void at(long micros) {
      timed.now = micros;
    }
  }
}
