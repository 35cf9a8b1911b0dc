package dev.plinth.client.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.LeaseState;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LocalDeadlineTest {
  private static final Duration TTL = Duration.ofSeconds(10);

  @Test
  void state_goesBySentTimeAndMargin_notByAnswerTime() {
    LocalDeadline localDeadline = new LocalDeadline(ms(0), TTL); // 9 s of it may be believed
    assertEquals(LeaseState.SAFE, localDeadline.state(ms(5999)));
    assertEquals(LeaseState.JEOPARDY, localDeadline.state(ms(6000)));
    assertEquals(LeaseState.JEOPARDY, localDeadline.state(ms(8999)));
    assertEquals(Duration.ofMillis(1), localDeadline.remaining(ms(8999)));
    assertEquals(LeaseState.LOST, localDeadline.state(ms(9000)));
    assertEquals(Duration.ZERO, localDeadline.remaining(ms(9001)));
  }

  @Test
  void renewal_countsFromBeforeItsSend() {
    LocalDeadline localDeadline = new LocalDeadline(ms(0), TTL);
    localDeadline.renewed(ms(3000), TTL, ms(8000));
    assertEquals(Duration.ofSeconds(4), localDeadline.remaining(ms(8000)));
    assertEquals(LeaseState.LOST, localDeadline.state(ms(12_000)));
  }

  @Test
  void renewalAnsweredAfterTheDeadline_doesNotBringItBack() {
    LocalDeadline localDeadline = new LocalDeadline(ms(0), TTL);
    localDeadline.renewed(ms(8000), TTL, ms(9000));
    assertEquals(LeaseState.LOST, localDeadline.state(ms(9000)));
  }

  @Test
  void lossOnceSeen_isFinal_evenIfARenewalLookedAtTheClockBefore() {
    LocalDeadline localDeadline = new LocalDeadline(ms(0), TTL);
    assertEquals(LeaseState.LOST, localDeadline.state(ms(9000)));
    localDeadline.renewed(ms(3000), TTL, ms(8999));
    assertEquals(LeaseState.LOST, localDeadline.state(ms(9000)));
  }

  @Test
  void end_isFinal() {
    LocalDeadline localDeadline = new LocalDeadline(ms(0), TTL);
    localDeadline.end();
    localDeadline.renewed(ms(1), TTL, ms(1));
    assertEquals(LeaseState.LOST, localDeadline.state(ms(1)));
  }

  @Test
  void missedBeat_isJeopardy_untilTheNextOneSucceeds() {
    LocalDeadline localDeadline = new LocalDeadline(ms(0), TTL);
    localDeadline.missed();
    assertEquals(LeaseState.JEOPARDY, localDeadline.state(ms(1)));
    localDeadline.renewed(ms(1), TTL, ms(2));
    assertEquals(LeaseState.SAFE, localDeadline.state(ms(2)));
  }

  @Test
  void answersOutOfOrder_neverShortenIt() {
    LocalDeadline localDeadline = new LocalDeadline(ms(0), TTL);
    localDeadline.renewed(ms(2000), TTL, ms(2500));
    localDeadline.renewed(ms(1000), TTL, ms(2600));
    assertEquals(Duration.ofMillis(8400), localDeadline.remaining(ms(2600)));
  }

  @Test
  void shortTtl_keepsAMarginOf50ms_andBeatsBeforeJeopardy() {
    LocalDeadline localDeadline = new LocalDeadline(ms(0), Duration.ofMillis(100));
    assertEquals(LeaseState.LOST, new LocalDeadline(ms(0), Duration.ofMillis(100)).state(ms(50)));
    assertEquals(
        LeaseState.SAFE,
        localDeadline.state(new ClockReading(localDeadline.interval().toNanos(), 0)));
  }

  @Test
  void nanosThatWrapAround_changeNothing() {
    long start = Long.MAX_VALUE - 5;
    LocalDeadline localDeadline = new LocalDeadline(new ClockReading(start, 0), TTL);
    assertEquals(
        LeaseState.SAFE, localDeadline.state(new ClockReading(start + ms(5999).nanos(), 5999)));
    assertEquals(
        LeaseState.LOST, localDeadline.state(new ClockReading(start + ms(9000).nanos(), 9000)));
  }

  /** A server that handles each beat at any moment between send and answer, or not at all. */
  @Test
  void V3_anySchedule_believesLessThanTheServerGives_andNeverReturnsFromLost() {
    Random random = new Random(42);
    for (int run = 0; run < 2000; run++) {
      long serverDeadline = random.nextLong(200) + TTL.toMillis();
      LocalDeadline localDeadline = new LocalDeadline(ms(0), TTL);
      boolean lost = false;
      for (long now = 200; now < 60_000; ) {
        long sent = now;
        long answered = sent + random.nextLong(6000);
        if (random.nextInt(3) > 0) {
          long handled = sent + random.nextLong(answered - sent + 1);
          if (handled >= serverDeadline) {
            localDeadline.end();
          } else {
            serverDeadline = Math.max(serverDeadline, handled + TTL.toMillis());
            localDeadline.renewed(ms(sent), TTL, ms(answered));
          }
        } else {
          localDeadline.missed();
        }
        boolean lostNow = localDeadline.state(ms(answered)) == LeaseState.LOST;
        assertTrue(lostNow || answered < serverDeadline, "run " + run);
        assertTrue(lostNow || !lost, "run " + run);
        lost = lostNow;
        now = answered + random.nextLong(3000) + 1;
      }
    }
  }

  @Test
  void V15_standstill_isJeopardy_untilARenewalSentAfterItIsAnswered() {
    LocalDeadline localDeadline = new LocalDeadline(ms(0), TTL);
    assertEquals(LeaseState.SAFE, localDeadline.state(slept(1000, 2500)));
    assertEquals(LeaseState.JEOPARDY, localDeadline.state(slept(1000, 2501)));
    localDeadline.renewed(ms(900), TTL, slept(1000, 2501)); // sent before it slept
    assertEquals(LeaseState.JEOPARDY, localDeadline.state(slept(1000, 2501)));
    localDeadline.renewed(slept(1001, 2501), TTL, slept(1100, 2501));
    assertEquals(LeaseState.SAFE, localDeadline.state(slept(1100, 2501)));
  }

  @Test
  void V15_sleepPastTheDeadline_isOverslept_untilARenewalSentAfterIt() {
    LocalDeadline localDeadline = new LocalDeadline(ms(0), TTL);
    assertFalse(localDeadline.isExpiredInSleep(slept(1000, 7999)));
    assertTrue(localDeadline.isExpiredInSleep(slept(1000, 8000)));
    localDeadline.renewed(ms(900), TTL, slept(1000, 8000)); // sent before it slept
    assertTrue(localDeadline.isExpiredInSleep(slept(1000, 8900)));
    localDeadline.renewed(slept(1001, 8900), TTL, slept(1100, 8900));
    assertFalse(localDeadline.isExpiredInSleep(slept(1100, 8900)));
    assertEquals(LeaseState.SAFE, localDeadline.state(slept(1100, 8900)));
  }

  @Test
  void V15_shortTtl_bearsAStandstillOfOneSecond() {
    LocalDeadline localDeadline = new LocalDeadline(ms(0), Duration.ofMillis(600));
    assertEquals(LeaseState.SAFE, localDeadline.state(slept(10, 1000)));
    assertEquals(LeaseState.JEOPARDY, localDeadline.state(slept(10, 1001)));
  }

  /** The wall clock decides nothing: any steps of it, and the deadline is where it was. */
  @Test
  void V15_wallClockSteps_neitherLengthenNorShortenIt() {
    Random random = new Random(7);
    for (int run = 0; run < 2000; run++) {
      LocalDeadline localDeadline = new LocalDeadline(ms(0), TTL);
      long hours = Duration.ofHours(random.nextInt(49) - 24).toMillis();
      assertEquals(Duration.ofSeconds(4), localDeadline.remaining(slept(5000, hours)));
      assertTrue(localDeadline.state(slept(8999, hours)) == LeaseState.JEOPARDY);
      assertEquals(LeaseState.LOST, localDeadline.state(slept(9000, hours)));
    }
  }

  /** After so much work, and so much sleep that the monotonic clock did not count. */
  private static ClockReading slept(long millis, long asleep) {
    return new ClockReading(ms(millis).nanos(), millis + asleep);
  }

  private static ClockReading ms(long value) {
    return new ClockReading(value * 1_000_000, value);
  }
}
