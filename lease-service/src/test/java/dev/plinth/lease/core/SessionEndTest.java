package dev.plinth.lease.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.fixture.Answer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Sessions whose end takes several commits, and an owner that dies between them. */
class SessionEndTest extends CoreTest {
  private static final int KEYS = 200;

  private String sessionOfManyKeys() {
    String session = openSession("ann", Duration.ZERO);
    for (int i = 0; i < KEYS; i++) {
      granted(acquire(inSession("ann", session, "s" + i)));
    }
    return session;
  }

  private long left(String session) {
    return held().stream().filter(lease -> lease.sessionId().equals(session)).count();
  }

  @Test
  void V3_sessionThatExpiredInPart_isNotOpenAgainAfterATakeover() {
    String session = sessionOfManyKeys();
    Answer<AcquireResult> bob = acquire(wish("bob").key("s0").wait(LONG).ttl(LONG));
    clock.scheduler().schedule(tx::crash, TTL.toNanos(), TimeUnit.NANOSECONDS);
    clock.advance(TTL);
    granted(bob);
    takeOver();
    assertTrue(left(session) > 0, "the owner died before the end");
    notOpen(() -> leases.sessions().heartbeat("default", session, tx.next()));
    notOpen(() -> leases.sessions().resume("default", session, "ann", "secret", tx.next()));
    notOpen(() -> acquire(inSession("ann", session, "more")));
    LeaseView last = held().get(held().size() - 1);
    assertEquals(Optional.empty(), leases.validate(last.name(), last.token(), tx));
    clock.advance(Duration.ofMillis(1));
    assertEquals(0, left(session));
    assertFalse(tx.rows().containsKey("lease/s/default/" + session));
  }

  @Test
  void sessionThatWasClosedInPart_isClosedByTheNextOwner_withoutALockDelay() {
    String session = openSession("ann", Duration.ofMinutes(1));
    for (int i = 0; i < KEYS; i++) {
      granted(acquire(inSession("ann", session, "s" + i)));
    }
    assertNull(closeSession(session), "it takes more than one commit");
    takeOver();
    notOpen(() -> leases.sessions().heartbeat("default", session, tx.next()));
    clock.advance(Duration.ofMillis(1));
    assertEquals(0, left(session));
    granted(acquire(wish("bob").key("s" + (KEYS - 1))));
    assertTrue(
        history().stream()
            .filter(event -> event.type() == HistoryEvent.Type.ENDED)
            .allMatch(
                event ->
                    event.cause().orElseThrow() == HoldEndCause.CLOSED
                        && event.actor().equals("ann")));
  }

  @Test
  void sessionRow_saysThatItEnds_onlyWhileItDoes() {
    String session = openSession("ann", Duration.ZERO);
    String key = "lease/s/default/" + session;
    String open = tx.row(key);
    for (int i = 0; i < KEYS; i++) {
      granted(acquire(inSession("ann", session, "s" + i)));
    }
    closeSession(session);
    assertEquals(open + " CLOSED", tx.row(key));
    clock.advance(Duration.ofMillis(1));
    assertFalse(tx.rows().containsKey(key));
  }

  @Test
  void sessionRow_ofAFormerVersion_isThatOfAnOpenSession() {
    tx.rows()
        .put(
            "lease/s/default/s-1",
            ("v1 ann 10000 0 " + Secrets.digest("secret")).getBytes(StandardCharsets.UTF_8));
    takeOver();
    assertEquals(TTL, leases.sessions().heartbeat("default", "s-1", tx.next()).ttl());
  }

  private static void notOpen(Runnable call) {
    Failure refused = assertThrows(Failure.class, call::run);
    assertEquals(ErrorReason.ERROR_REASON_SESSION_EXPIRED, refused.reason());
  }
}
