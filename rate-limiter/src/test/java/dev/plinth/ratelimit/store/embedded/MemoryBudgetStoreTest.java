package dev.plinth.ratelimit.store.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.core.BudgetSlotsContract;
import dev.plinth.ratelimit.core.BudgetStore;
import dev.plinth.ratelimit.core.BudgetStoreContract;
import dev.plinth.ratelimit.core.BudgetTicketsContract;
import dev.plinth.ratelimit.core.InvariantsContract;
import dev.plinth.ratelimit.core.Limit;
import dev.plinth.ratelimit.core.Operation;
import dev.plinth.ratelimit.core.Operation.AcquireSlot;
import dev.plinth.ratelimit.core.Outcome.Slotted;
import dev.plinth.ratelimit.core.Request;
import dev.plinth.ratelimit.core.RowMemory;
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
      Request.Once once = new Request.Once("id", "fingerprint");
      for (int i = 0; i < 1_000; i++) {
        Request settle = new Request(new Operation.Settle("t", 0), Optional.of(once));
        Request release = Request.of(new Operation.ReleaseSlot("s"));
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
      long before = ((Slotted) apply(acquire)).token();
      advance(1);
      store.close();
      store = open();
      assertTrue(((Slotted) apply(acquire)).token() > before);
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
