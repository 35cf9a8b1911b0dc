package dev.plinth.lease.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.fixture.Answer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Steps whose cost must not depend on how many others hold or wait. Steps are counted. */
class CostsTest extends CoreTest {
  @Test
  void joining_costsNotTheQueue_whereOneOfALowPriorityStandsBehind() {
    granted(acquire(wish("ann").ttl(LONG)));
    wait("low", -100);
    for (int i = 0; i < 1000; i++) {
      wait("w" + i, 0);
    }
    assertEquals(0, leases.deadlockVisits());
  }

  @Test
  void circle_isFound_whereItIsClosedByOneBehind_thatCameToHoldSomethingWhileItWaited() {
    granted(acquire(wish("zoe").key("k").ttl(LONG)));
    acquire(wish("low").key("k").wait(LONG).priority(-100));
    granted(acquire(wish("low").key("m").ttl(LONG)));
    granted(acquire(wish("hal").key("n").ttl(LONG)));
    acquire(wish("hal").key("m").wait(LONG));
    // It would stand before low, who holds m, for which hal waits, who holds n.
    Failure refused =
        assertThrows(Failure.class, () -> acquire(wish("jim").and("k").and("n").wait(LONG)));
    assertEquals(ErrorReason.ERROR_REASON_DEADLOCK, refused.reason());
  }

  @Test
  void reentry_costsNotTheQueueThatItsOwnerStandsIn() {
    granted(acquire(wish("pam").key("a").ttl(LONG)));
    acquire(wish("x").key("a").wait(LONG));
    granted(acquire(wish("other").key("b").ttl(LONG)));
    for (int i = 0; i < 1000; i++) {
      acquire(wish("w" + i).key("b").wait(LONG));
    }
    acquire(wish("pam").key("b").wait(LONG));
    long before = leases.deadlockVisits();
    for (int i = 0; i < 10; i++) {
      assertInstanceOf(AcquireResult.Reentered.class, acquire(wish("pam").key("a")).answer);
    }
    assertEquals(before, leases.deadlockVisits());
  }

  @Test
  void circlesThatOneTransferCloses_areFoundTogether() {
    int circles = 300;
    long token = granted(acquire(wish("zoe").key("x").ttl(LONG))).token();
    List<Answer<AcquireResult>> waiting = new ArrayList<>();
    for (int i = 0; i < circles; i++) {
      granted(acquire(wish("h" + i).key("k" + i).ttl(LONG)));
      waiting.add(acquire(wish("pam").key("k" + i).wait(LONG)));
      waiting.add(acquire(wish("h" + i).key("x").wait(LONG)));
    }
    long before = leases.deadlockVisits();
    leases.transfer(new LeaseName("default", "x"), token, "pam", "", tx.next());
    long looked = leases.deadlockVisits() - before;
    assertTrue(looked < 10 * circles, () -> looked + " waiters looked at");
    long refused = waiting.stream().filter(answer -> answer.failure != null).count();
    assertEquals(circles, refused, "one of each circle");
    clock.runDue();
    assertEquals(circles, waiters("x").total() + pamsWaits(circles));
  }

  private int pamsWaits(int keys) {
    return IntStream.range(0, keys).map(i -> waiters("k" + i).total()).sum();
  }

  @Test
  void circleIsTold_inAFewWords_howeverLongItIs() {
    int length = 200;
    for (int i = 0; i < length; i++) {
      granted(acquire(wish("owner" + i).key("k" + i).ttl(LONG)));
    }
    for (int i = 0; i < length - 1; i++) {
      acquire(wish("owner" + i).key("k" + (i + 1)).wait(LONG));
    }
    Failure refused =
        assertThrows(
            Failure.class, () -> acquire(wish("owner" + (length - 1)).key("k0").wait(LONG)));
    String cycle = refused.metadata().get("cycle");
    assertTrue(cycle.startsWith("owner199 waits for k0, owner0 waits for k1, "), cycle);
    assertTrue(cycle.endsWith(" more") && cycle.length() < 600, cycle);
  }

  @Test
  void holders_areEndedAtAConstantCost_whereOnePartyHasSeveral() {
    Holders holders = new Holders();
    List<Hold> all = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      all.add(shared(i % 100 == 0 ? "ann" : "r" + i, i));
    }
    List<Hold> backwards = new ArrayList<>(all);
    Collections.reverse(backwards);
    backwards.forEach(holders::add);
    assertEquals(all.get(0), holders.of(all.get(0).leaseOwner), "the first by its token");
    for (int i = 0; i < 990; i++) {
      holders.remove(all.get(i));
      Hold first = i < 900 ? all.get((i / 100 + 1) * 100) : null;
      assertEquals(first, holders.of(all.get(0).leaseOwner));
    }
    assertTrue(holders.indexed() < 1100, () -> holders.indexed() + " steps");
  }

  private static Hold shared(String owner, long token) {
    return new Hold(
        new KeyRequest(PRINTER, LeaseMode.SHARED, 0),
        new LeaseOwner(owner, ""),
        null,
        token,
        TTL,
        Duration.ZERO,
        Instant.EPOCH,
        new byte[0]);
  }
}
