package dev.plinth.lease.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.shards.Tx;
import dev.plinth.shards.fixture.Answer;
import dev.plinth.shards.fixture.LateTx;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Calls that find a hold whose time is over, but whose timer is late. */
class RunOutTest extends CoreTest {
  private final Tx late = new LateTx(tx, TTL);

  @Test
  void V5_whatHasRunOut_isNotConfirmed_andItsEndIsDecided() {
    long token = granted(acquire("ann")).token();
    assertEquals(Optional.empty(), leases.confirm(PRINTER, token, Optional.empty(), late));
    assertEndedByTheClock(token);
  }

  @Test
  void V5_whatHasRunOut_isNotTransferred_andItsEndIsDecided() {
    long token = granted(acquire("ann")).token();
    Answer<AcquireResult> next = acquire(wish("bob").wait(LONG).ttl(LONG));
    assertEquals(Optional.empty(), leases.transfer(PRINTER, token, "cid", "", late));
    assertEquals("bob", granted(next).ownerId(), "the line moves on");
    assertEndedByTheClock(token);
  }

  @Test
  void V5_whatHasRunOut_isNotChanged_andItsEndIsDecided() {
    long token = granted(acquire("ann")).token();
    assertEquals(
        Optional.empty(),
        leases.updatePayload(PRINTER, token, Optional.empty(), new byte[] {9}, late));
    assertEndedByTheClock(token);
  }

  @Test
  void V5_leadershipThatHasRunOut_isNotHandedOver() {
    LeaseName election = LeaseName.ofElection("default", "cron");
    long token = granted(acquire(wish("ann").key("election/cron"))).token();
    acquire(wish("bob").key("election/cron").wait(LONG));
    acquire(wish("cid").key("election/cron").wait(LONG));
    assertEquals(HandoverResult.NOT_HELD, leases.handOver(election, token, "cid", late));
    assertEquals(List.of("bob"), holders("election/cron"));
  }

  @Test
  void V5_holdOfASessionThatHasRunOut_isNotConfirmed_andTheSessionEnds() {
    String session = openSession("ann", Duration.ZERO);
    long token = granted(acquire(inSession("ann", session, "printer"))).token();
    granted(acquire(inSession("ann", session, "other")));
    assertEquals(Optional.empty(), leases.confirm(PRINTER, token, Optional.empty(), late));
    assertEndedByTheClock(token);
    assertTrue(live().isEmpty(), () -> live().toString());
  }

  @Test
  void V5_holdOfASessionThatIsClosing_isNeitherConfirmedNorRenewed() {
    String session = openSession("ann", Duration.ZERO);
    for (int i = 0; i < 200; i++) {
      granted(acquire(inSession("ann", session, "s" + i)));
    }
    LeaseName last = new LeaseName("default", "s199");
    long token = leases.get(last, tx).holders().get(0).token();
    closeSession(session);
    assertEquals(1, leases.get(last, tx).holderCount(), "its end takes several commits");
    assertEquals(Optional.empty(), leases.confirm(last, token, Optional.empty(), tx.next()));
    assertEquals(Optional.empty(), leases.renew(last, token, tx.next()));
    assertEquals(Optional.empty(), leases.validate(last, token, tx));
    clock.advance(Duration.ofMillis(1));
    assertEquals(0, leases.get(last, tx).holderCount());
  }

  private void assertEndedByTheClock(long token) {
    assertEquals(Optional.empty(), leases.renew(PRINTER, token, tx.next()), "it is decided");
    HistoryEvent end =
        history().stream()
            .filter(event -> event.type() == HistoryEvent.Type.ENDED)
            .findFirst()
            .orElseThrow();
    assertEquals(token, end.hold().token());
    assertEquals(Optional.of(HoldEndCause.EXPIRED), end.cause());
  }
}
