package dev.plinth.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TenureTest {
  private static final Duration TTL = Duration.ofSeconds(10);

  @Test
  void state_goesBySentTimeAndMargin_notByAnswerTime() {
    Tenure tenure = new Tenure(ms(0), TTL); // 9 s of it may be believed
    assertEquals(LeaseState.SAFE, tenure.state(ms(5999)));
    assertEquals(LeaseState.JEOPARDY, tenure.state(ms(6000)));
    assertEquals(LeaseState.JEOPARDY, tenure.state(ms(8999)));
    assertEquals(Duration.ofMillis(1), tenure.remaining(ms(8999)));
    assertEquals(LeaseState.LOST, tenure.state(ms(9000)));
    assertEquals(Duration.ZERO, tenure.remaining(ms(9001)));
  }

  @Test
  void renewal_countsFromBeforeItsSend() {
    Tenure tenure = new Tenure(ms(0), TTL);
    tenure.renewed(ms(3000), TTL, ms(8000));
    assertEquals(Duration.ofSeconds(4), tenure.remaining(ms(8000)));
    assertEquals(LeaseState.LOST, tenure.state(ms(12_000)));
  }

  @Test
  void renewalAnsweredAfterTheDeadline_doesNotBringItBack() {
    Tenure tenure = new Tenure(ms(0), TTL);
    tenure.renewed(ms(8000), TTL, ms(9000));
    assertEquals(LeaseState.LOST, tenure.state(ms(9000)));
  }

  @Test
  void lossOnceSeen_isFinal_evenIfARenewalLookedAtTheClockBefore() {
    Tenure tenure = new Tenure(ms(0), TTL);
    assertEquals(LeaseState.LOST, tenure.state(ms(9000)));
    tenure.renewed(ms(3000), TTL, ms(8999));
    assertEquals(LeaseState.LOST, tenure.state(ms(9000)));
  }

  @Test
  void end_isFinal() {
    Tenure tenure = new Tenure(ms(0), TTL);
    tenure.end();
    tenure.renewed(ms(1), TTL, ms(1));
    assertEquals(LeaseState.LOST, tenure.state(ms(1)));
  }

  @Test
  void missedBeat_isJeopardy_untilTheNextOneSucceeds() {
    Tenure tenure = new Tenure(ms(0), TTL);
    tenure.missed();
    assertEquals(LeaseState.JEOPARDY, tenure.state(ms(1)));
    tenure.renewed(ms(1), TTL, ms(2));
    assertEquals(LeaseState.SAFE, tenure.state(ms(2)));
  }

  @Test
  void answersOutOfOrder_neverShortenIt() {
    Tenure tenure = new Tenure(ms(0), TTL);
    tenure.renewed(ms(2000), TTL, ms(2500));
    tenure.renewed(ms(1000), TTL, ms(2600));
    assertEquals(Duration.ofMillis(8400), tenure.remaining(ms(2600)));
  }

  @Test
  void shortTtl_keepsAMarginOf50ms_andBeatsBeforeJeopardy() {
    Tenure tenure = new Tenure(ms(0), Duration.ofMillis(100));
    assertEquals(LeaseState.LOST, new Tenure(ms(0), Duration.ofMillis(100)).state(ms(50)));
    assertEquals(LeaseState.SAFE, tenure.state(new Moment(tenure.interval().toNanos(), 0)));
  }

  @Test
  void nanosThatWrapAround_changeNothing() {
    long start = Long.MAX_VALUE - 5;
    Tenure tenure = new Tenure(new Moment(start, 0), TTL);
    assertEquals(LeaseState.SAFE, tenure.state(new Moment(start + ms(5999).nanos(), 5999)));
    assertEquals(LeaseState.LOST, tenure.state(new Moment(start + ms(9000).nanos(), 9000)));
  }

  /** A server that handles each beat at any moment between send and answer, or not at all. */
  @Test
  void V3_anySchedule_believesLessThanTheServerGives_andNeverReturnsFromLost() {
    Random random = new Random(42);
    for (int run = 0; run < 2000; run++) {
      long serverDeadline = random.nextLong(200) + TTL.toMillis();
      Tenure tenure = new Tenure(ms(0), TTL);
      boolean lost = false;
      for (long now = 200; now < 60_000; ) {
        long sent = now;
        long answered = sent + random.nextLong(6000);
        if (random.nextInt(3) > 0) {
          long handled = sent + random.nextLong(answered - sent + 1);
          if (handled >= serverDeadline) {
            tenure.end();
          } else {
            serverDeadline = Math.max(serverDeadline, handled + TTL.toMillis());
            tenure.renewed(ms(sent), TTL, ms(answered));
          }
        } else {
          tenure.missed();
        }
        boolean lostNow = tenure.state(ms(answered)) == LeaseState.LOST;
        assertTrue(lostNow || answered < serverDeadline, "run " + run);
        assertTrue(lostNow || !lost, "run " + run);
        lost = lostNow;
        now = answered + random.nextLong(3000) + 1;
      }
    }
  }

  @Test
  void V15_standstill_isJeopardy_untilARenewalSentAfterItIsAnswered() {
    Tenure tenure = new Tenure(ms(0), TTL);
    assertEquals(LeaseState.SAFE, tenure.state(slept(1000, 2500)));
    assertEquals(LeaseState.JEOPARDY, tenure.state(slept(1000, 2501)));
    tenure.renewed(ms(900), TTL, slept(1000, 2501)); // sent before it slept
    assertEquals(LeaseState.JEOPARDY, tenure.state(slept(1000, 2501)));
    tenure.renewed(slept(1001, 2501), TTL, slept(1100, 2501));
    assertEquals(LeaseState.SAFE, tenure.state(slept(1100, 2501)));
  }

  @Test
  void V15_sleepPastTheDeadline_isOverslept_untilARenewalSentAfterIt() {
    Tenure tenure = new Tenure(ms(0), TTL);
    assertFalse(tenure.isOverslept(slept(1000, 7999)));
    assertTrue(tenure.isOverslept(slept(1000, 8000)));
    tenure.renewed(ms(900), TTL, slept(1000, 8000)); // sent before it slept
    assertTrue(tenure.isOverslept(slept(1000, 8900)));
    tenure.renewed(slept(1001, 8900), TTL, slept(1100, 8900));
    assertFalse(tenure.isOverslept(slept(1100, 8900)));
    assertEquals(LeaseState.SAFE, tenure.state(slept(1100, 8900)));
  }

  @Test
  void V15_shortTtl_bearsAStandstillOfOneSecond() {
    Tenure tenure = new Tenure(ms(0), Duration.ofMillis(600));
    assertEquals(LeaseState.SAFE, tenure.state(slept(10, 1000)));
    assertEquals(LeaseState.JEOPARDY, tenure.state(slept(10, 1001)));
  }

  /** The wall clock decides nothing: any steps of it, and the deadline is where it was. */
  @Test
  void V15_wallClockSteps_neitherLengthenNorShortenIt() {
    Random random = new Random(7);
    for (int run = 0; run < 2000; run++) {
      Tenure tenure = new Tenure(ms(0), TTL);
      long hours = Duration.ofHours(random.nextInt(49) - 24).toMillis();
      assertEquals(Duration.ofSeconds(4), tenure.remaining(slept(5000, hours)));
      assertTrue(tenure.state(slept(8999, hours)) == LeaseState.JEOPARDY);
      assertEquals(LeaseState.LOST, tenure.state(slept(9000, hours)));
    }
  }

  /** After so much work, and so much sleep that the monotonic clock did not count. */
  private static Moment slept(long millis, long asleep) {
    return new Moment(ms(millis).nanos(), millis + asleep);
  }

  private static Moment ms(long value) {
    return new Moment(value * 1_000_000, value);
  }
}
