package dev.plinth.lease.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.shards.fixture.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What would write more rows than a store takes in one commit goes on in the next ones. */
class ManyKeysTest extends CoreTest {
  private static final int KEYS = 500;

  @Test
  void closingASession_ofManyKeys_answersWhenTheLastIsFree() {
    String session = sessionOfMany();
    AtomicReference<Integer> released = new AtomicReference<>();
    leases.sessions().close("default", session, (count, last) -> released.set(count), tx.next());
    assertNull(released.get());
    assertTrue(tx.rows().containsKey("lease/s/default/" + session), "there until all is done");
    clock.advance(Duration.ZERO);
    assertEquals(KEYS, released.get());
    assertTrue(live().isEmpty());
  }

  @Test
  void closingASessionAgain_afterACrashHalfWay_answersWhenTheRestIsFree() {
    String session = sessionOfMany();
    leases.sessions().close("default", session, (count, last) -> {}, tx.next());
    takeOver();
    int left = held().size();
    assertTrue(left > 0 && left < KEYS);
    assertEquals(left, closedAfterAll(session));
    assertTrue(live().isEmpty());
  }

  @Test
  void expiry_ofManyKeys_handsEachOn() {
    sessionOfMany();
    List<Answer<AcquireResult>> next = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      next.add(acquire(wish("bob").key("k" + i).wait(LONG).ttl(LONG)));
    }
    clock.advance(TTL);
    next.forEach(CoreTest::granted);
  }

  @Test
  void release_withManySetsBehindIt_letsThemAllIn() {
    long token = granted(acquire(wish("ann").key("gate"))).token();
    List<Answer<AcquireResult>> sets = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      Wish set = wish("s" + i).wait(LONG).ttl(LONG).mode(LeaseMode.SHARED).and("gate");
      for (int k = 0; k < 20; k++) {
        set.and("k" + i + "-" + k);
      }
      sets.add(acquire(set));
    }
    leases.release(new LeaseName("default", "gate"), token, tx.next());
    assertTrue(tx.writes() < 127, () -> tx.writes() + " rows in one commit");
    clock.advance(Duration.ZERO);
    sets.forEach(CoreTest::granted);
  }

  @Test
  void forcedRelease_ofManyHolders_answersWhenTheLastIsGone() {
    for (int i = 0; i < 3000; i++) {
      granted(acquire(wish("o" + i).mode(LeaseMode.SHARED)));
    }
    List<LeaseView> ended = new ArrayList<>();
    leases
        .forcedReleases()
        .release(
            PRINTER,
            Optional.empty(),
            new HoldEnd(HoldEndCause.FORCED, "olga", "test"),
            (views, last) -> ended.addAll(views),
            tx.next());
    clock.advance(Duration.ZERO);
    assertEquals(3000, ended.size());
    assertEquals(List.of(), holders("printer"));
  }

  private String sessionOfMany() {
    String session = openSession("ann", Duration.ZERO);
    for (int i = 0; i < KEYS; i++) {
      granted(acquire(inSession("ann", session, "k" + i)));
    }
    return session;
  }

  private Integer closedAfterAll(String session) {
    AtomicReference<Integer> released = new AtomicReference<>();
    leases.sessions().close("default", session, (count, last) -> released.set(count), tx.next());
    clock.advance(Duration.ZERO);
    return released.get();
  }
}
