package dev.plinth.lease.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.core.NamespacePolicy.LockDelays;
import dev.plinth.lease.core.NamespacePolicy.Ttls;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.fixture.Answer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class NamespacePolicyTest extends CoreTest {
  /** The platform's own policy but for these. */
  static NamespacePolicy with(
      Map<Quota, Integer> some, List<NamespacePolicy.Semaphore> semaphores) {
    NamespacePolicy p = NamespacePolicy.PLATFORM;
    Map<Quota, Integer> quotas = new EnumMap<>(p.quotas());
    quotas.putAll(some);
    return new NamespacePolicy(
        p.ttls(), p.maxWait(), p.lockDelays(), p.maxPriority(), quotas, semaphores);
  }

  private static NamespacePolicy strict() {
    NamespacePolicy p =
        with(
            Map.of(Quota.LEASES, 2, Quota.SESSIONS, 1, Quota.WAITERS, 2, Quota.WAITERS_PER_KEY, 1),
            List.of(
                new NamespacePolicy.Semaphore("gpu-", 3),
                new NamespacePolicy.Semaphore("gpu-big-", 1)));
    return new NamespacePolicy(
        new Ttls(Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofSeconds(7)),
        Duration.ofSeconds(20),
        new LockDelays(Duration.ofSeconds(4), Duration.ofSeconds(2)),
        10,
        p.quotas(),
        p.semaphores());
  }

  @Test
  void limits_areChecked_byName_andNothingChanges() {
    set(strict());
    int written = tx.written();
    violated("ttl", () -> acquire(wish("ann").ttl(Duration.ofMillis(999))));
    violated("ttl", () -> acquire(wish("ann").ttl(Duration.ofSeconds(31))));
    violated("wait", () -> acquire(wish("ann").wait(Duration.ofSeconds(21))));
    violated("lock_delay", () -> acquire(wish("ann").delay(Duration.ofSeconds(5))));
    violated("priority", () -> acquire(wish("ann").priority(11)));
    violated("weight", () -> acquire(wish("ann").weight(2).key("gpu-big-1")));
    violated("mode", () -> acquire(wish("ann").weight(1).key("cpu")));
    violated("ttl", () -> session(Optional.of(Duration.ofMinutes(1)), Optional.empty()));
    violated("lock_delay", () -> session(Optional.empty(), Optional.of(Duration.ofSeconds(5))));
    assertEquals(written, tx.written());
  }

  @Test
  void defaults_areForThoseWhoAskForNothing() {
    set(strict());
    assertEquals(Duration.ofSeconds(7), granted(acquire(wish("ann").usualTtl())).ttl());
    clock.advance(Duration.ofSeconds(7));
    assertEquals(Duration.ofSeconds(2), leases.get(PRINTER, tx).barredFor());
    assertEquals(Duration.ofSeconds(7), session(Optional.empty(), Optional.empty()).ttl());
  }

  @Test
  void V18_quotas_areExact_andFreedOnEveryWayOut() {
    set(strict());
    long one = granted(acquire(wish("ann").key("1"))).token();
    granted(acquire(wish("ann").key("2")));
    exhausted(() -> acquire(wish("ann").key("3")));
    exhausted(() -> acquire(wish("ann").and("3").and("4")));
    leases.release(new LeaseName("default", "1"), one, tx);
    granted(acquire(wish("ann").key("3")));
    clock.advance(TTL);
    assertEquals(2, leases.policy("default").leases(), "their lock-delays run");
    clock.advance(Duration.ofSeconds(2));
    assertEquals(0, leases.policy("default").leases());

    String session = openSession("ann", Duration.ZERO);
    exhausted(() -> session(Optional.empty(), Optional.empty()));
    closeSession(session);
    openSession("ann", Duration.ZERO);
  }

  @Test
  void V18_waiters_areCounted_perKeyAndInAll() {
    set(strict());
    granted(acquire(wish("ann").key("1").ttl(Duration.ofSeconds(30))));
    granted(acquire(wish("ann").key("2").ttl(Duration.ofSeconds(30))));
    Answer<AcquireResult> first = acquire(wish("bob").key("1").wait(Duration.ofSeconds(20)));
    assertTrue(first.isOpen());
    Failure full =
        assertThrows(
            Failure.class, () -> acquire(wish("cid").key("1").wait(Duration.ofSeconds(20))));
    assertEquals(ErrorReason.ERROR_REASON_QUEUE_FULL, full.reason());
    assertTrue(acquire(wish("cid").key("2").wait(Duration.ofSeconds(20))).isOpen());
    exhausted(() -> acquire(wish("dan").and("1").and("2").wait(Duration.ofSeconds(20))));
    clock.advance(Duration.ofSeconds(20));
    assertEquals(0, leases.policy("default").waiters());
  }

  @Test
  void waiter_whoseTurnComesOverTheQuota_isRefused_andTheNextIsAsked() {
    long token = granted(acquire(wish("ann"))).token();
    Answer<AcquireResult> bob = acquire(wish("bob").wait(Duration.ofSeconds(20)));
    set(strict());
    granted(acquire(wish("cid").key("1")));
    // A transfer moves a hold and adds none, so it may not be refused; two more fill the quota.
    leases.transfer(PRINTER, token, "dan", "", tx);
    exhausted(() -> acquire(wish("eve").key("2")));
    clock.advance(TTL);
    granted(bob);
  }

  @Test
  void rate_isASecondsWorthAtOnce_thenSteady() {
    set(with(Map.of(Quota.ACQUIRES_PER_SECOND, 10), List.of()));
    for (int i = 0; i < 10; i++) {
      acquire("ann");
    }
    Failure.Exhausted over = assertThrows(Failure.Exhausted.class, () -> acquire("ann"));
    assertEquals(ErrorReason.ERROR_REASON_RATE_EXCEEDED, over.reason());
    assertEquals(Duration.ofMillis(100), over.retryAfter());
    clock.advance(over.retryAfter());
    acquire("ann");
    assertThrows(Failure.Exhausted.class, () -> acquire("ann"));
  }

  @Test
  void policy_survivesATakeover_andItsVersionIsCompared() {
    assertEquals(1, leases.setPolicy("default", strict(), Optional.of(0L), tx));
    takeOver();
    assertEquals(strict(), leases.policy("default").namespacePolicy());
    Failure conflict =
        assertThrows(
            Failure.class, () -> leases.setPolicy("default", strict(), Optional.of(0L), tx));
    assertEquals(ErrorReason.ERROR_REASON_REVISION_CONFLICT, conflict.reason());
    assertEquals(2, leases.setPolicy("default", strict(), Optional.of(1L), tx));
    assertEquals(0, leases.policy("elsewhere").version());
  }

  private void set(NamespacePolicy namespacePolicy) {
    leases.setPolicy("default", namespacePolicy, Optional.empty(), tx.next());
  }

  private SessionView session(Optional<Duration> ttl, Optional<Duration> delay) {
    return leases.sessions().open("default", "ann", ttl, delay, "secret", tx.next());
  }

  private static void violated(String field, Executable call) {
    Failure refused = assertThrows(Failure.class, call, field);
    assertEquals(ErrorReason.ERROR_REASON_POLICY_VIOLATION, refused.reason(), field);
    assertEquals(field, refused.metadata().get("field"));
  }

  private static void exhausted(Executable call) {
    Failure refused = assertThrows(Failure.class, call);
    assertEquals(ErrorReason.ERROR_REASON_QUOTA_EXCEEDED, refused.reason());
  }
}
