package dev.plinth.ratelimit.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.policy.CalendarUnit;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.Limit.Bucket;
import dev.plinth.ratelimit.policy.Limit.CalendarWindow;
import dev.plinth.ratelimit.policy.Limit.Concurrency;
import dev.plinth.ratelimit.policy.Limit.FixedWindow;
import dev.plinth.ratelimit.policy.Limit.Paced;
import dev.plinth.ratelimit.policy.Limit.SlidingCounter;
import dev.plinth.ratelimit.policy.Limit.SlidingLog;
import dev.plinth.ratelimit.policy.OnChange;
import dev.plinth.ratelimit.policy.Rule;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AdmissionBoundsTest {
  private static final long SECOND = 1_000_000;
  private static final Bucket BUCKET = new Bucket(100, 10_000, 1);

  private static long perPeriod(Limit limit) {
    return AdmissionBounds.perPeriod(TestRules.of("r", limit).rule());
  }

  @Test
  void a_bucket_isItsBurst_andWhatIsRefilled() {
    assertEquals(100, AdmissionBounds.over(BUCKET, 0, 0, 1));
    assertEquals(200, AdmissionBounds.over(BUCKET, 0, SECOND, 1));
    assertEquals(101, AdmissionBounds.over(BUCKET, 0, 1, 1));
  }

  @Test
  void b_windows_areTwiceTheLimit() {
    assertEquals(20, perPeriod(new FixedWindow(10, SECOND)));
    assertEquals(20, perPeriod(new CalendarWindow(10, CalendarUnit.DAY, ZoneOffset.UTC)));
    assertEquals(30, AdmissionBounds.over(new FixedWindow(10, SECOND), 0, SECOND + 1, 1));
  }

  @Test
  void c_slidingCounter_isTwiceTheLimit_slidingLogTheLimit() {
    assertEquals(20, perPeriod(new SlidingCounter(10, SECOND)));
    assertEquals(10, perPeriod(new SlidingLog(10, SECOND)));
    assertEquals(20, AdmissionBounds.over(new SlidingLog(10, SECOND), 0, SECOND + 1, 1));
  }

  @Test
  void d_leases_comeOnTop() {
    Rule lending = TestRules.bucket("r", 100, 100).lease(250, Duration.ofSeconds(1), 4, 10).rule();
    assertEquals(100 + 1 + 25, AdmissionBounds.perPeriod(lending));
    assertEquals(225, AdmissionBounds.over(BUCKET, 25, SECOND, 1));
  }

  @Test
  void paced_isOneBesideItsPace() {
    assertEquals(2, perPeriod(new Paced(100_000, 1)));
    assertEquals(11, AdmissionBounds.over(new Paced(100_000, 1), 0, SECOND, 1));
    assertEquals(17, AdmissionBounds.over(new Paced(100_000, 1), 0, SECOND, 7));
  }

  @Test
  void e_lostState_isWhatWasAdmittedMeanwhile_atMostTheSize() {
    assertEquals(30, AdmissionBounds.lostState(BUCKET, 30));
    assertEquals(100, AdmissionBounds.lostState(BUCKET, 300));
  }

  @Test
  void f_clockForward_isWhatTheTimeSkippedWouldHaveRefilled_atMostTheSize() {
    assertEquals(50, AdmissionBounds.clockForward(BUCKET, SECOND / 2));
    assertEquals(100, AdmissionBounds.clockForward(BUCKET, 60 * SECOND));
  }

  @Test
  void g_lateChange_isTheDifference_andWhatIsLeased() {
    Bucket smaller = new Bucket(40, 20_000, 1);
    assertEquals(50 + 60 + 7, AdmissionBounds.lateChange(BUCKET, smaller, SECOND, 7));
    assertEquals(7, AdmissionBounds.lateChange(smaller, BUCKET, SECOND, 7));
  }

  @Test
  void h_alone_isTheSafeBurstOfAllNodes_whileTheirRatesAreShares() {
    Rule rule = TestRules.of("r", BUCKET).rule();
    Limit safe = rule.safeLimitOf(4);
    assertEquals(200, AdmissionBounds.localFallback(BUCKET, safe, 4, 60 * SECOND));
    assertEquals(300 + 400 + 100, AdmissionBounds.localFallback(BUCKET, BUCKET, 4, SECOND));
  }

  @Test
  void i_running_isTheLimit_andThoseWhoGoOn() {
    assertEquals(5, AdmissionBounds.running(new Concurrency(3), 2));
    assertEquals(3, perPeriod(new Concurrency(3)));
  }

  @Test
  void bounds_ofLargeNumbers_doNotOverflow() {
    Bucket fast = new Bucket(1_000_000_000, 1, 1_000_000);
    assertTrue(AdmissionBounds.over(fast, 1_000_000_000, Long.MAX_VALUE / 2, 1) > 0);
    assertTrue(
        AdmissionBounds.localFallback(fast, fast, Integer.MAX_VALUE, Long.MAX_VALUE / 2) > 0);
  }

  @Test
  void safeLimits_ofAllNodes_areNeverMoreThanTheLimit_orOneForEachNode() {
    Random random = new Random(5);
    for (int i = 0; i < 20_000; i++) {
      long size = 1 + random.nextInt(1000);
      int nodes = 1 + random.nextInt(50);
      long num = 1 + random.nextInt(1_000_000);
      long den = 1 + random.nextInt(1000);
      Bucket safe =
          (Bucket) TestRules.of("r", new Bucket(size, num, den)).rule().safeLimitOf(nodes);
      assertTrue(safe.burst() * nodes <= Math.max(size, nodes), safe.toString());
      assertTrue(safe.burst() >= 1);
      // The rates of all nodes are the rate, exactly: nodes * den' / num' == den / num.
      assertEquals(nodes * safe.den() * num, den * safe.num());
      for (Limit limit :
          List.of(
              new FixedWindow(size, 1000),
              new SlidingCounter(size, 1000),
              new SlidingLog(size, 1000),
              new CalendarWindow(size, CalendarUnit.HOUR, ZoneOffset.UTC),
              new Concurrency(size))) {
        long each = TestRules.of("r", limit).rule().safeLimitOf(nodes).size();
        assertTrue(each >= 1 && each * nodes <= Math.max(size, nodes), limit.toString());
      }
    }
  }

  @Test
  void safeLimits_asTheRuleSays_scaleTheBurstAndTheRate_butNeverUp() {
    Rule half = TestRules.of("r", new Bucket(30, 10_000, 1)).safe(50).rule();
    // The rule's rate is one in 10 ms here, so 50 is capped.
    assertEquals(new Bucket(30, 10_000, 1), half.safeLimitOf(3));
    Rule.Rate hundred = new Rule.Rate(100, Duration.ofSeconds(1));
    Rule told =
        new Rule(
            half.name(),
            1,
            half.match(),
            new Rule.Counting(half.limit(), Optional.of(hundred), OnChange.AS_IS),
            half.enforcement(),
            half.lease(),
            half.replaces(),
            Optional.empty());
    assertEquals(new Bucket(15, 20_000, 1), told.safeLimitOf(3));
    assertEquals(
        new FixedWindow(4, SECOND),
        TestRules.of("r", new FixedWindow(9, SECOND)).safe(4).rule().safeLimitOf(3));
    assertEquals(
        new Paced(300_000, 1), TestRules.of("r", new Paced(100_000, 1)).rule().safeLimitOf(3));
  }
}
