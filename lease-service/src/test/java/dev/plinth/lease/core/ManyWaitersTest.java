package dev.plinth.lease.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Tx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What thousands of waiters on one key cost, counted in timers and looks at callers. */
class ManyWaitersTest extends CoreTest {
  private static final int MANY = 10_000;
  // Positions are told after n log n looks; a walk over all for each would be ten million and more.
  private static final long FEW_LOOKS_EACH = 400;

  private long looks;
  private long told;

  private final class Stream implements AcquireListener {
    final AcquireSpec spec;
    boolean gone;
    Object end;

    Stream(AcquireSpec spec) {
      this.spec = spec;
    }

    @Override
    public void answer(AcquireResult outcome, Tx tx) {
      end = outcome;
    }

    @Override
    public void refuse(Failure why, Tx tx) {
      end = why.reason();
    }

    @Override
    public boolean wantsEvents() {
      return true;
    }

    @Override
    public void onEvent(HoldEvent holdEvent, Tx tx) {
      told++;
    }

    @Override
    public boolean isGone() {
      looks++;
      return gone;
    }
  }

  @Test
  void V9_manyThatGoAtOnce_costATimerEach_andAHeartbeatGoesThroughBetween() {
    String session = openSession("beat", Duration.ZERO);
    acquire(wish("ann").ttl(LONG));
    List<Stream> streams = waiters(MANY, "");
    streams.forEach(stream -> stream.gone = true);
    int timers = tx.timers();
    looks = 0;
    for (int i = 0; i < MANY; i++) {
      leases.abandon(streams.get(i).spec, tx.next());
      if (i % 1000 == 0) {
        assertEquals(TTL, leases.sessions().heartbeat("default", session, tx.next()).ttl());
      }
    }
    assertEquals(MANY, tx.timers() - timers, "one timer for each waiter");
    assertFewLooks("calls that ended");
    streams.forEach(stream -> leases.abandon(stream.spec, tx.next()));
    assertEquals(MANY, tx.timers() - timers, "and only once");
    looks = 0;
    clock.advance(WaitQueues.TIMEOUT);
    assertFewLooks("places given up");
    assertEquals(0, leases.policy("default").waiters());
    streams.forEach(stream -> assertEquals(ErrorReason.ERROR_REASON_CALL_ENDED, stream.end));
  }

  @Test
  void V9_manyThatGo_beforeTheirEndsAreHeardOf_arePassedOverOnce() {
    long token = granted(acquire("ann")).token();
    List<Stream> streams = waiters(MANY - 1, "");
    Stream last = listen(wish("last").waitForEver());
    streams.forEach(stream -> stream.gone = true);
    looks = 0;
    leases.release(PRINTER, token, tx.next());
    assertTrue(last.end instanceof AcquireResult.Granted, () -> "it heard " + last.end);
    assertFewLooks("callers found gone");
  }

  @Test
  void V10_manyInLine_areServedOneByOne_withFewLooksAndNews() {
    long token = granted(acquire("ann")).token();
    List<Stream> streams = waiters(MANY, "");
    looks = 0;
    told = 0;
    for (Stream stream : streams) {
      leases.release(PRINTER, token, tx.next());
      token = ((AcquireResult.Granted) stream.end).leases().get(0).token();
    }
    assertFewLooks("hand-offs");
    assertTrue(told < MANY * 100L, () -> told + " positions told");
  }

  @Test
  void manyWaits_thatRunOutAtOnce_orEndWithTheirSession_costFewLooks() {
    String session = openSession("bob", Duration.ZERO);
    acquire(wish("ann").ttl(LONG));
    looks = 0;
    List<Stream> streams = waiters(MANY, session);
    assertFewLooks("joins");
    looks = 0;
    closeSession(session);
    assertFewLooks("waits of a session");
    streams.forEach(stream -> assertEquals(ErrorReason.ERROR_REASON_SESSION_EXPIRED, stream.end));
    List<Stream> brief = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      brief.add(listen(wish("w" + i).wait(Duration.ofSeconds(1))));
    }
    looks = 0;
    clock.advance(Duration.ofSeconds(1));
    assertFewLooks("waits that ran out");
    brief.forEach(stream -> assertTrue(stream.end instanceof AcquireResult.TimedOut));
  }

  @Test
  void manyOfOneOwner_areLetInTogether_withFewLooks() {
    long token = granted(acquire("ann")).token();
    List<Stream> streams = new ArrayList<>();
    for (int i = 0; i < 5000; i++) {
      streams.add(listen(wish("bob").waitForEver()));
    }
    looks = 0;
    leases.release(PRINTER, token, tx.next());
    clock.advance(Duration.ZERO);
    assertFewLooks("re-entries");
    streams.forEach(stream -> assertTrue(stream.end != null));
  }

  @Test
  void V18_oneOwner_andOneNamespace_mayWaitOnlySoOften_andSoLarge() {
    acquire(wish("ann").ttl(LONG));
    NamespacePolicy p = NamespacePolicy.PLATFORM;
    assertTrue(p.most(Quota.WAITERS) <= 100_000 && p.most(Quota.WAITERS_PER_KEY) <= 10_000);
    acquire(wish("ann").key("other").ttl(LONG));
    for (int i = 0; i < p.most(Quota.WAITERS_PER_OWNER); i++) {
      listen(wish("bob").key(i % 2 == 0 ? "printer" : "other").waitForEver());
    }
    Failure often =
        assertThrows(Failure.class, () -> listen(wish("bob").key("printer").waitForEver()));
    assertEquals(ErrorReason.ERROR_REASON_QUOTA_EXCEEDED, often.reason());
    int large = 0;
    try {
      while (large < p.most(Quota.WAITERS)) {
        acquire(wish("huge" + large / 9000).key("k" + large / 9000).ttl(LONG));
        listen(wish("w" + large).key("k" + large / 9000).payload(new byte[4096]).waitForEver());
        large++;
      }
    } catch (Failure.Exhausted full) {
      assertEquals(ErrorReason.ERROR_REASON_QUOTA_EXCEEDED, full.reason());
    }
    assertTrue(
        large * 4096L < LeaseNamespace.MAX_WAITING_MIB << 20, large + " waiters with 4 KiB each");
  }

  private void assertFewLooks(String of) {
    assertTrue(looks < MANY * FEW_LOOKS_EACH, () -> looks + " looks for " + MANY + " " + of);
  }

  private List<Stream> waiters(int count, String session) {
    List<Stream> streams = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      streams.add(listen(wish("w" + i).session(session).waitForEver().patient()));
    }
    return streams;
  }

  private Stream listen(Wish spec) {
    Stream stream = new Stream(spec.build());
    leases.acquire(stream.spec, stream, tx.next());
    return stream;
  }
}
