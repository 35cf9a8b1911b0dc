package dev.plinth.lease.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** An operator's wish that a holder lets go, and ways around it. */
class ReleaseNoticeTest extends CoreTest {
  private static final Duration GRACE = Duration.ofSeconds(5);
  private static final HoldEnd FORCED = new HoldEnd(HoldEndCause.FORCED, "olga", "maintenance");

  private void ask() {
    leases
        .forcedReleases()
        .releaseAfterNotice(
            PRINTER, Optional.empty(), GRACE, FORCED, (views, last) -> {}, tx.next());
  }

  @Test
  void forcedReleaseWithGrace_isNotEvadedByATransfer() {
    long token = granted(acquire(wish("ann").ttl(LONG))).token();
    ask();
    clock.advance(Duration.ofSeconds(2));
    LeaseView next = leases.transfer(PRINTER, token, "ann", "", tx.next()).orElseThrow();
    assertEquals(
        new ReleaseNoticeView(Duration.ofSeconds(3), "olga", "maintenance"),
        next.ask().orElseThrow());
    clock.advance(Duration.ofSeconds(3));
    assertEquals(List.of(), holders("printer"));
    HistoryEvent end = history().get(history().size() - 1);
    assertEquals(Optional.of(HoldEndCause.FORCED), end.cause());
    assertEquals(next.token(), end.hold().token());
  }

  @Test
  void forcedReleaseWithGrace_isToldToTheSessionThatWasGivenTheHold_overATakeoverToo() {
    long token = granted(acquire(wish("ann").ttl(LONG))).token();
    ask();
    String session = openSession("bob", Duration.ZERO);
    long next = leases.transfer(PRINTER, token, "bob", session, tx.next()).orElseThrow().token();
    assertEquals(List.of(next), asked(session));
    takeOver();
    assertEquals(List.of(next), asked(session));
    clock.advance(GRACE);
    assertEquals(List.of(), asked(session));
    assertEquals(List.of(), holders("printer"));
    assertTrue(tx.rows().containsKey("lease/s/default/" + session), "the session itself goes on");
  }

  @Test
  void noticeOfAHoldThatIsReleased_isForgottenWithIt() {
    for (int i = 0; i < 100; i++) {
      long token = granted(acquire(wish("ann").ttl(LONG))).token();
      ask();
      ask();
      leases.release(PRINTER, token, tx.next());
    }
    assertEquals(0, tx.timersLeft(), "each would keep its hold and the payload in memory");
  }

  @Test
  void noticeThatIsRepeated_countsFromTheLastTime() {
    granted(acquire(wish("ann").ttl(LONG)));
    ask();
    clock.advance(Duration.ofSeconds(3));
    ask();
    clock.advance(Duration.ofSeconds(3));
    assertEquals(List.of("ann"), holders("printer"));
    clock.advance(Duration.ofSeconds(2));
    assertEquals(List.of(), holders("printer"));
  }

  private List<Long> asked(String session) {
    return leases.sessions().heartbeat("default", session, tx.next()).held().stream()
        .map(LeaseView::token)
        .toList();
  }
}
