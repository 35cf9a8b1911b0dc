package dev.plinth.lease.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.shards.fixture.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SetsTest extends CoreTest {
  @Test
  void V11_set_isGrantedWhole_inOneStep() {
    AcquireResult.Granted both =
        assertInstanceOf(
            AcquireResult.Granted.class, acquire(wish("ann").and("left").and("right")).answer);
    assertEquals(List.of("left", "right"), both.leases().stream().map(SetsTest::key).toList());
    assertTrue(both.leases().get(0).token() != both.leases().get(1).token());
  }

  @Test
  void V11_set_ofWhichOneKeyIsHeld_takesNothing() {
    granted(acquire(wish("bob").key("right")));
    int written = tx.written();
    AcquireResult.Held held =
        assertInstanceOf(
            AcquireResult.Held.class, acquire(wish("ann").and("left").and("right")).answer);
    assertEquals(List.of("right"), held.blockingKeys());
    assertEquals("bob", held.holders().get(0).ownerId());
    assertEquals(written, tx.written());
    assertEquals(List.of(), holders("left"));
  }

  @Test
  void set_waitsForItsLastKey_andKeepsItsPlaceInEveryLine() {
    long token = granted(acquire(wish("bob").key("right"))).token();
    Answer<AcquireResult> set = acquire(wish("ann").wait(LONG).and("left").and("right"));
    Answer<AcquireResult> late = acquire(wish("cid").key("left").wait(LONG));
    assertTrue(set.isOpen() && late.isOpen(), "nobody passes the line");
    leases.release(new LeaseName("default", "right"), token, tx);
    assertInstanceOf(AcquireResult.Granted.class, set.answer);
    assertEquals(List.of("ann"), holders("left"));
    assertTrue(late.isOpen());
  }

  @Test
  void set_thatLeaves_letsInWhoStoodBehindIt() {
    granted(acquire(wish("bob").key("right")));
    Answer<AcquireResult> set =
        acquire(wish("ann").wait(Duration.ofSeconds(3)).and("left").and("right"));
    Answer<AcquireResult> late = acquire(wish("cid").key("left").wait(LONG));
    clock.advance(Duration.ofSeconds(3));
    AcquireResult.TimedOut out = assertInstanceOf(AcquireResult.TimedOut.class, set.answer);
    assertEquals(List.of("right"), out.blockingKeys());
    assertEquals("cid", granted(late).ownerId());
  }

  @Test
  void set_entersOnceMore_whatItsOwnerHolds() {
    long token = granted(acquire(wish("ann").key("left"))).token();
    AcquireResult.Granted both =
        assertInstanceOf(
            AcquireResult.Granted.class, acquire(wish("ann").and("left").and("right")).answer);
    assertEquals(token, both.leases().get(0).token());
    assertEquals(2, both.leases().get(0).entries());
  }

  @Test
  void set_behindALockDelay_isToldHowLong() {
    granted(acquire(delayed("bob", Duration.ofSeconds(5)).key("right")));
    clock.advance(TTL);
    AcquireResult.Delayed delayed =
        assertInstanceOf(
            AcquireResult.Delayed.class, acquire(wish("ann").and("left").and("right")).answer);
    assertEquals(Duration.ofSeconds(5), delayed.retryAfter());
    assertEquals(List.of("right"), delayed.blockingKeys());
  }

  @Test
  void set_whoseSessionEnds_leavesEveryLine() {
    granted(acquire(wish("bob").key("right")));
    String session = openSession("ann", Duration.ZERO);
    Answer<AcquireResult> set =
        acquire(wish("ann").session(session).wait(LONG).and("left").and("right"));
    closeSession(session);
    assertTrue(set.failure != null);
    granted(acquire(wish("cid").key("left")));
    assertEquals(0, leases.policy("default").waiters());
  }

  /** Each takes two forks at once; whoever has eaten lets go. */
  @Test
  void V11_hundredPhilosophers_allEat() {
    int seats = 100;
    Random random = new Random(7);
    List<Answer<AcquireResult>> meals = new ArrayList<>();
    for (int i = 0; i < 5 * seats; i++) {
      int seat = random.nextInt(seats);
      Wish spec = wish("p" + i).ttl(LONG).wait(Duration.ofMinutes(30)).priority(random.nextInt(2));
      String left = "fork" + seat;
      String right = "fork" + (seat + 1) % seats;
      meals.add(
          acquire(random.nextBoolean() ? spec.and(left).and(right) : spec.and(right).and(left)));
    }
    int eaten = 0;
    while (eaten < meals.size()) {
      List<Answer<AcquireResult>> eating =
          meals.stream().filter(m -> m.answer instanceof AcquireResult.Granted).toList();
      assertTrue(!eating.isEmpty(), "nobody eats");
      for (Answer<AcquireResult> meal : eating) {
        AcquireResult.Granted forks = (AcquireResult.Granted) meal.answer;
        assertEquals(2, forks.leases().size());
        forks.leases().forEach(fork -> leases.release(fork.name(), fork.token(), tx.next()));
        meal.answer = new AcquireResult.Reentered(forks.leases().get(0)); // has eaten
        eaten++;
      }
      clock.advance(Duration.ZERO);
    }
    assertEquals(0, leases.policy("default").waiters());
    assertTrue(live().isEmpty());
  }

  private static String key(LeaseView lease) {
    return lease.name().key();
  }
}
