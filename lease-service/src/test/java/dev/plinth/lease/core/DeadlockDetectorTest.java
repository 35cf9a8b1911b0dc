package dev.plinth.lease.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.fixture.Answer;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DeadlockDetectorTest extends CoreTest {
  @Test
  void twoThatWaitForEachOther_theSecondIsRefused_andTheFirstGoesOn() {
    hold("ann", "a");
    long b = hold("bob", "b");
    Answer<AcquireResult> ann = acquire(wish("ann").key("b").wait(LONG));
    Failure refused = deadlock(wish("bob").key("a").wait(LONG));
    assertEquals("bob waits for a, ann waits for b", refused.metadata().get("cycle"));
    assertEquals(1, events.deadlocks);
    leases.release(new LeaseName("default", "b"), b, tx);
    granted(ann);
  }

  @Test
  void aCircleOfMany_isFound() {
    for (int i = 0; i < 50; i++) {
      hold("o" + i, "k" + i);
    }
    for (int i = 0; i < 49; i++) {
      assertTrue(acquire(wish("o" + i).key("k" + (i + 1)).wait(LONG)).isOpen());
    }
    deadlock(wish("o49").key("k0").wait(LONG));
  }

  @Test
  void aChain_isNoCircle() {
    hold("ann", "a");
    hold("bob", "b");
    assertTrue(acquire(wish("bob").key("a").wait(LONG)).isOpen());
    assertTrue(acquire(wish("cid").key("b").wait(LONG)).isOpen());
    assertTrue(acquire(wish("ann").key("c")).answer instanceof AcquireResult.Granted);
  }

  @Test
  void twoReadersThatBothWantToWrite_areACircle() {
    granted(acquire(wish("ann").mode(LeaseMode.SHARED).key("a")));
    granted(acquire(wish("bob").mode(LeaseMode.SHARED).key("a")));
    assertTrue(acquire(wish("ann").wait(LONG).and("a").and("x")).isOpen());
    deadlock(wish("bob").wait(LONG).and("a").and("y"));
  }

  @Test
  void aSet_behindWhichItsOwnHolderWaits_isACircle() {
    hold("hal", "a");
    hold("bob", "b");
    assertTrue(acquire(wish("ann").wait(LONG).and("a").and("b")).isOpen());
    // ann is before bob in the line of a, and needs what bob holds.
    deadlock(wish("bob").key("a").wait(LONG));
  }

  @Test
  void sessions_areApart_soOneOwnerInTwoOfThemIsTwo() {
    String one = openSession("ann", java.time.Duration.ZERO);
    String two = openSession("ann", java.time.Duration.ZERO);
    granted(acquire(inSession("ann", one, "a")));
    granted(acquire(inSession("ann", two, "b")));
    assertTrue(acquire(inSession("ann", one, "b")).isOpen());
    deadlock(inSession("ann", two, "a"));
  }

  @Test
  void aGrantThatClosesACircle_costsTheYoungestItsPlace() {
    long a = hold("hal", "a");
    hold("bob", "b");
    Answer<AcquireResult> annA = acquire(wish("ann").key("a").wait(LONG));
    Answer<AcquireResult> annB = acquire(wish("ann").key("b").wait(LONG));
    Answer<AcquireResult> bobA = acquire(wish("bob").key("a").wait(LONG));
    // ann waits for both at once; with a in hand she waits for bob, and bob for her.
    leases.release(new LeaseName("default", "a"), a, tx.next());
    granted(annA);
    assertTrue(annB.isOpen());
    assertEquals(ErrorReason.ERROR_REASON_DEADLOCK, bobA.failure.reason());
  }

  @Test
  void aTransferThatClosesACircle_isNoticedToo() {
    long a = hold("hal", "a");
    hold("bob", "b");
    assertTrue(acquire(wish("bob").key("a").wait(LONG)).isOpen());
    Answer<AcquireResult> ann = acquire(wish("ann").key("b").wait(LONG));
    assertTrue(leases.transfer(new LeaseName("default", "a"), a, "ann", "", tx.next()).isPresent());
    assertEquals(ErrorReason.ERROR_REASON_DEADLOCK, ann.failure.reason());
  }

  @Test
  void aFullSemaphore_isNoCircle_sinceAnyHolderMayLetGo() {
    SemaphoreTest.capacity(this, 1);
    granted(acquire(wish("ann").weight(1).key("sem")));
    hold("bob", "b");
    assertTrue(acquire(wish("bob").weight(1).key("sem").wait(LONG)).isOpen());
    assertTrue(acquire(wish("ann").mode(LeaseMode.EXCLUSIVE).key("b").wait(LONG)).isOpen());
  }

  private long hold(String owner, String key) {
    return granted(acquire(wish(owner).key(key).ttl(LONG))).token();
  }

  private Failure deadlock(Wish spec) {
    int waiters = leases.policy("default").waiters();
    Failure refused = assertThrows(Failure.class, () -> acquire(spec));
    assertEquals(ErrorReason.ERROR_REASON_DEADLOCK, refused.reason());
    assertEquals(Optional.of(waiters), Optional.of(leases.policy("default").waiters()));
    return refused;
  }
}
