package dev.plinth.lease.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Tx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What those hear who stay on the line. */
class HoldEventTest extends CoreTest {
  private static final class Listener implements AcquireListener {
    final List<String> heard = new ArrayList<>();
    boolean gone;
    AcquireSpec spec;

    @Override
    public void answer(AcquireResult outcome, Tx tx) {
      heard.add(outcome.getClass().getSimpleName());
    }

    @Override
    public void refuse(Failure why, Tx tx) {
      heard.add(why.reason().name());
    }

    @Override
    public boolean wantsEvents() {
      return true;
    }

    @Override
    public void onEvent(HoldEvent holdEvent, Tx tx) {
      if (holdEvent instanceof HoldEvent.Queued queued) {
        heard.add("place " + queued.position());
      } else if (holdEvent instanceof HoldEvent.Jeopardy danger) {
        heard.add("jeopardy " + danger.left().toMillis());
      } else if (holdEvent instanceof HoldEvent.Lost lost) {
        heard.add("lost " + lost.holdEnd().cause() + " by " + lost.holdEnd().actor());
      } else if (holdEvent instanceof HoldEvent.Asked asked) {
        heard.add("asked " + asked.lease().ask().orElseThrow().reason());
      } else {
        heard.add("safe");
      }
    }

    @Override
    public boolean isGone() {
      return gone;
    }
  }

  @Test
  void inLine_thePlaceIsTold_asItChanges() {
    long token = granted(acquire("ann")).token();
    wait("bob", 0);
    Listener cid = listen(wish("cid").waitForEver());
    leases.release(PRINTER, token, tx);
    clock.advance(TTL);
    assertEquals(List.of("place 2", "place 1", "Granted"), cid.heard);
  }

  @Test
  void farBackInLine_onlyMovesThatMatterAreTold() {
    List<LeaseView> holder = new ArrayList<>(List.of(granted(acquire("ann"))));
    for (int i = 0; i < 100; i++) {
      wait("w" + i, 0);
    }
    Listener last = listen(wish("last").waitForEver());
    for (int i = 0; i < 50; i++) {
      leases.release(PRINTER, holder.get(0).token(), tx.next());
      holder.set(0, leases.get(PRINTER, tx).holders().get(0));
    }
    assertTrue(last.heard.size() < 12, () -> "told " + last.heard);
    assertEquals("place 101", last.heard.get(0));
  }

  @Test
  void withTheHold_dangerIsTold_andThatItPassed() {
    Listener ann = listen(wish("ann").ttl(Duration.ofSeconds(9)));
    long token = leases.get(PRINTER, tx).holders().get(0).token();
    clock.advance(Duration.ofSeconds(5));
    leases.renew(PRINTER, token, tx.next());
    clock.advance(Duration.ofSeconds(6));
    assertEquals(List.of("Granted", "jeopardy 3000"), ann.heard);
    leases.renew(PRINTER, token, tx.next());
    clock.advance(Duration.ofSeconds(20));
    assertEquals(
        List.of("Granted", "jeopardy 3000", "safe", "jeopardy 3000", "lost EXPIRED by clock"),
        ann.heard);
  }

  @Test
  void withTheHold_everyWayItEndsIsTold() {
    Listener ann = listen(wish("ann"));
    leases.release(PRINTER, holding(), tx.next());
    Listener bob = listen(wish("bob"));
    leases.transfer(PRINTER, holding(), "cid", "", tx.next());
    leases.release(PRINTER, holding(), tx.next());
    Listener dan = listen(wish("dan"));
    forceRelease(Optional.empty());
    String session = openSession("eve", Duration.ZERO);
    Listener eve = listen(wish("eve").session(session));
    closeSession(session);
    assertEquals("lost RELEASED by ann", ann.heard.get(1));
    assertEquals("lost TRANSFERRED by bob", bob.heard.get(1));
    assertEquals("lost FORCED by olga", dan.heard.get(1));
    assertEquals("lost CLOSED by eve", eve.heard.get(1));
  }

  @Test
  void whoIsAskedToLetGo_hearsOfIt_andLosesTheHoldAfterTheGrace() {
    String session = openSession("ann", Duration.ZERO);
    Listener keeper = new Listener();
    leases.sessions().keep("default", session, keeper, tx);
    Listener ann = listen(wish("ann").session(session));
    HoldEnd how = new HoldEnd(HoldEndCause.FORCED, "olga", "maintenance");
    leases
        .forcedReleases()
        .releaseAfterNotice(
            PRINTER, Optional.empty(), Duration.ofSeconds(5), how, (asked, last) -> {}, tx);
    assertEquals(List.of("Granted", "asked maintenance"), ann.heard);
    assertEquals(List.of("asked maintenance"), keeper.heard);
    assertEquals(
        Duration.ofSeconds(5),
        leases
            .sessions()
            .heartbeat("default", session, tx)
            .held()
            .get(0)
            .ask()
            .orElseThrow()
            .left());
    clock.advance(Duration.ofMillis(4999));
    assertEquals(List.of("ann"), holders("printer"));
    clock.advance(Duration.ofMillis(1));
    assertEquals(List.of(), holders("printer"));
    assertEquals("lost FORCED by olga", ann.heard.get(2));
    assertTrue(leases.sessions().heartbeat("default", session, tx).held().isEmpty());
  }

  @Test
  void whoLetsGoInTheGrace_isNotForced_norIsTheNextHolder() {
    granted(acquire("ann"));
    HoldEnd how = new HoldEnd(HoldEndCause.FORCED, "olga", "maintenance");
    leases
        .forcedReleases()
        .releaseAfterNotice(
            PRINTER, Optional.empty(), Duration.ofSeconds(5), how, (asked, last) -> {}, tx);
    leases.release(PRINTER, holding(), tx);
    granted(acquire("bob"));
    clock.advance(Duration.ofSeconds(6));
    assertEquals(List.of("bob"), holders("printer"));
  }

  @Test
  void theGrace_survivesATakeover() {
    granted(acquire(wish("ann").ttl(LONG)));
    HoldEnd how = new HoldEnd(HoldEndCause.FORCED, "olga", "maintenance");
    leases
        .forcedReleases()
        .releaseAfterNotice(
            PRINTER, Optional.empty(), Duration.ofSeconds(5), how, (asked, last) -> {}, tx);
    takeOver();
    assertEquals(
        "maintenance", leases.get(PRINTER, tx).holders().get(0).ask().orElseThrow().reason());
    clock.advance(Duration.ofSeconds(5));
    assertEquals(List.of(), holders("printer"));
  }

  @Test
  void keeper_hearsOfASessionsDangerAndEnd() {
    String session = openSession("ann", Duration.ZERO);
    Listener keeper = new Listener();
    leases.sessions().keep("default", session, keeper, tx);
    clock.advance(TTL);
    assertEquals(
        "jeopardy " + TTL.dividedBy(3).toMillis(), keeper.heard.get(0).replace("3334", "3333"));
    assertEquals("lost EXPIRED by clock", keeper.heard.get(1));
  }

  @Test
  void V9_whoHangsUpInLine_andComesBack_hasItsPlaceStill() {
    long token = granted(acquire("ann")).token();
    Listener bob = listen(wish("bob").waitForEver().patient());
    wait("cid", 0);
    bob.gone = true;
    leases.abandon(bob.spec, tx.next());
    Listener again = listen(wish("bob").waitForEver().patient());
    assertEquals(List.of("place 1"), again.heard);
    assertEquals(ErrorReason.ERROR_REASON_CALL_ENDED.name(), bob.heard.get(bob.heard.size() - 1));
    clock.advance(WaitQueues.TIMEOUT);
    leases.release(PRINTER, token, tx);
    assertEquals("Granted", again.heard.get(again.heard.size() - 1));
    assertInstanceOf(AcquireResult.Held.class, acquire("eve").answer);
  }

  private long holding() {
    return leases.get(PRINTER, tx).holders().get(0).token();
  }

  private Listener listen(Wish spec) {
    Listener listener = new Listener();
    listener.spec = spec.build();
    leases.acquire(listener.spec, listener, tx.next());
    return listener;
  }
}
