package dev.plinth.simulation.etcd;

import static dev.plinth.simulation.etcd.EtcdRequests.get;
import static dev.plinth.simulation.etcd.EtcdRequests.grant;
import static dev.plinth.simulation.etcd.EtcdRequests.keepAlive;
import static dev.plinth.simulation.etcd.EtcdRequests.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.testkit.ManualClock;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LeaseExpiryTest {
  private static final Duration STEP = Duration.ofMillis(10);

  private final ManualClock clock = new ManualClock();
  private EtcdModel model = model(1, 0.2);

  private EtcdModel model(long seed, double dyingRenewal) {
    EtcdModelSettings usual = EtcdModelSettings.DEFAULT;
    return new EtcdModel(
        new EtcdModelSettings(
            usual.quotaBytes(),
            usual.expiryDelay(),
            usual.slowExpiryDelay(),
            usual.slowExpiry(),
            dyingRenewal,
            usual.appliedOverQuota(),
            usual.staleRevisions()),
        clock.nanos(),
        new SplittableRandom(seed));
  }

  private boolean exists() {
    return model.range(get("k")).getCount() > 0;
  }

  private Duration untilGone() {
    Duration passed = Duration.ZERO;
    while (exists()) {
      clock.advance(STEP);
      passed = passed.plus(STEP);
    }
    return passed;
  }

  private void leased(long ttl) {
    model.leaseGrant(grant(1, ttl));
    model.put(put("k", "v", 1));
  }

  @Test
  void ttl_isTwoSecondsAtLeast() {
    assertEquals(2, model.leaseGrant(grant(1, 1)).getTTL());
    assertEquals(3, model.leaseGrant(grant(2, 3)).getTTL());
  }

  @Test
  void lease_isRevokedLate_neverEarly() {
    Duration longest = Duration.ZERO;
    for (long seed = 1; seed <= 200; seed++) {
      model = model(seed, 0);
      leased(2);
      Duration gone = untilGone();
      assertTrue(gone.compareTo(Duration.ofSeconds(2)) >= 0, "seed " + seed + ": " + gone);
      longest = gone.compareTo(longest) > 0 ? gone : longest;
    }
    assertTrue(longest.compareTo(Duration.ofSeconds(3)) > 0, "slow at times: " + longest);
    assertTrue(longest.compareTo(Duration.ofMillis(6_020)) < 0, longest.toString());
  }

  @Test
  void renewal_beginsTheTtlAnew() {
    leased(2);
    for (int i = 0; i < 10; i++) {
      clock.advance(Duration.ofMillis(1_900));
      assertEquals(2, model.leaseKeepAlive(keepAlive(1)).getTTL());
    }
    assertTrue(exists());
  }

  @Test
  void renewalOfADyingLease_maySayYes_andChangesNothing() {
    model = model(1, 1);
    leased(2);
    clock.advance(Duration.ofSeconds(2));
    long yes = 0;
    while (exists()) {
      assertEquals(2, model.leaseKeepAlive(keepAlive(1)).getTTL());
      yes++;
      clock.advance(STEP);
    }
    assertTrue(yes > 0, "the seed lets the lease expire at once");
    assertEquals(0, model.leaseKeepAlive(keepAlive(1)).getTTL());
  }

  @Test
  void renewalOfADyingLease_maySayNo_onceTheKeysAreGone() {
    model = model(1, 0);
    leased(2);
    clock.advance(Duration.ofSeconds(2));
    assertEquals(0, model.leaseKeepAlive(keepAlive(1)).getTTL());
    assertTrue(!exists());
  }

  @Test
  void withoutALeader_nothingExpires_andTheNextGivesAWholeTtlAndMore() {
    leased(2);
    model.loseLeader();
    clock.advance(Duration.ofSeconds(30));
    assertTrue(exists());
    model.electLeader();
    assertTrue(untilGone().compareTo(Duration.ofSeconds(3)) >= 0);
  }

  @Test
  void revokedLease_deletesItsKeysOnly_andAKeyMayChangeItsLease() {
    leased(60);
    model.put(put("free", "v"));
    model.put(put("moved", "v", 1));
    model.put(put("moved", "v"));
    long before = model.revision();
    model.leaseRevoke(io.etcd.jetcd.api.LeaseRevokeRequest.newBuilder().setID(1).build());
    assertEquals(before + 1, model.revision());
    assertTrue(!exists());
    assertEquals(1, model.range(get("free")).getCount());
    assertEquals(1, model.range(get("moved")).getCount());
  }

  @Test
  void restoredLease_beginsAnew() {
    leased(2);
    EtcdSnapshot backup = model.snapshot();
    clock.advance(Duration.ofSeconds(60));
    assertTrue(!exists());
    model.restore(backup);
    assertTrue(exists());
    assertTrue(untilGone().compareTo(Duration.ofSeconds(3)) >= 0);
  }
}
