package dev.plinth.lease.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.server.failure.Failure;
import dev.plinth.shards.fixture.Answer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Lock-delays of keys that had several holders. */
class LockDelaysTest extends CoreTest {
  private static final Duration LONGER = Duration.ofSeconds(8);
  private static final Duration SHORTER = Duration.ofSeconds(2);

  @Test
  void V17_aShorterDelay_doesNotCutALongerOne() {
    reader("ann", LONGER, TTL);
    reader("bob", SHORTER, TTL.plusSeconds(1));
    clock.advance(TTL.plusSeconds(1));
    clock.advance(SHORTER);
    assertInstanceOf(AcquireResult.Delayed.class, acquire("eve").answer);
    assertInstanceOf(AcquireResult.Delayed.class, acquire("bob").answer, "ann's delay bars bob");
    clock.advance(LONGER.minus(SHORTER).minusSeconds(1));
    granted(acquire("eve"));
  }

  @Test
  void V17_theLastOneLost_isBarredByTheOthers_andNoLonger() {
    reader("ann", SHORTER, TTL);
    reader("bob", LONGER, TTL);
    clock.advance(TTL);
    assertInstanceOf(AcquireResult.Delayed.class, acquire("bob").answer);
    Answer<AcquireResult> bob = wait("bob", 0);
    clock.advance(SHORTER);
    assertEquals("bob", granted(bob).ownerId(), "its own delay does not bar it");
  }

  @Test
  void V17_aGrantToOneLostOwner_doesNotLiftTheDelayOfAnother() {
    reader("ann", SHORTER, TTL);
    reader("bob", LONGER, TTL.plusSeconds(1));
    reader("cid", Duration.ZERO, LONG);
    clock.advance(TTL.plusSeconds(1));
    clock.advance(SHORTER);
    reader("bob", Duration.ZERO, LONG);
    granted(acquire(wish("eve").mode(LeaseMode.SHARED)), "bob is back, ann's delay is over");
    assertTrue(tx.rows().keySet().stream().noneMatch(row -> row.endsWith("@lost")));
  }

  @Test
  void V17_aTransfer_doesNotLiftADelay_overATakeoverToo() {
    reader("ann", LONGER, TTL);
    long token = reader("bob", Duration.ZERO, LONG);
    clock.advance(TTL);
    leases.transfer(PRINTER, token, "cid", "", tx.next());
    AcquireResult refused = acquire(wish("eve").mode(LeaseMode.SHARED)).answer;
    assertInstanceOf(AcquireResult.Held.class, refused, "ann may still be at work");
    takeOver();
    clock.advance(LONGER.minusMillis(1));
    assertInstanceOf(
        AcquireResult.Held.class,
        acquire(wish("eve").mode(LeaseMode.SHARED)).answer,
        "it counts anew");
    clock.advance(Duration.ofMillis(1));
    granted(acquire(wish("eve").mode(LeaseMode.SHARED)));
  }

  @Test
  void V17_aTakeover_keepsTheDelaysOfSeveral() {
    reader("ann", LONGER, TTL);
    reader("bob", SHORTER, TTL.plusSeconds(7));
    clock.advance(TTL.plusSeconds(7));
    takeOver();
    clock.advance(SHORTER);
    assertInstanceOf(AcquireResult.Delayed.class, acquire("eve").answer);
    clock.advance(LONGER.minus(SHORTER));
    granted(acquire("eve"));
  }

  @Test
  void rowOfTheFirstFormat_isRead() {
    tx.rows().put("lease/k/default/printer @lost", "v1 ann 5000".getBytes(StandardCharsets.UTF_8));
    takeOver();
    assertEquals(
        Duration.ofSeconds(5),
        assertInstanceOf(AcquireResult.Delayed.class, acquire("bob").answer).retryAfter());
    clock.advance(Duration.ofSeconds(5));
    granted(acquire("bob"));
    assertTrue(live().stream().noneMatch(row -> row.endsWith("@lost")));
  }

  @Test
  void keyThatIsLostOverAndOver_hasOneTimer() {
    for (int i = 0; i < 100; i++) {
      granted(acquire(delayed("ann", LONG)));
      forceRelease(Optional.empty());
    }
    assertEquals(1, tx.timersLeft());
    granted(acquire(delayed("ann", LONG)));
    clock.advance(Duration.ofSeconds(1));
    assertEquals(1, tx.timersLeft(), "that of the lease: its owner is back");
  }

  @Test
  void V17_waitsOfASessionThatEnds_areNotGrantedOnTheWay_norIsTheKeyBarred() {
    String session = openSession("ann", LONGER);
    granted(acquire(wish("bob").mode(LeaseMode.SHARED).ttl(LONG)));
    Answer<AcquireResult> writer = acquire(inSession("ann", session, "printer"));
    Answer<AcquireResult> reader =
        acquire(inSession("cid", session, "printer").mode(LeaseMode.SHARED));
    Answer<AcquireResult> other = acquire(wish("dan").mode(LeaseMode.SHARED).wait(LONG));
    clock.advance(TTL);
    assertNull(reader.answer, "granted to a session that ends");
    assertTrue(reader.failure instanceof Failure && writer.failure instanceof Failure);
    assertEquals(Duration.ZERO, leases.get(PRINTER, tx).barredFor());
    granted(other);
    assertTrue(history().stream().noneMatch(entry -> entry.ownerId().equals("cid")));
  }

  private long reader(String owner, Duration delay, Duration ttl) {
    return granted(acquire(wish(owner).mode(LeaseMode.SHARED).delay(delay).ttl(ttl))).token();
  }

  private static void granted(Answer<AcquireResult> answer, String why) {
    assertInstanceOf(AcquireResult.Granted.class, answer.answer, why);
  }
}
