package dev.plinth.client.id;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against a scripted server, in a time that stands still. */
class SnowflakeIdGeneratorTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final int PER_UNIT = 4096;

  private final ScriptedIds server = new ScriptedIds();

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void I7_id_carriesTimeWorkerAndSequence() throws Exception {
    SnowflakeIdGenerator ids = server.ids().snowflake("events");
    assertEquals(new Snowflake(server.clock.instant(), 1, 0), ids.parse(ids.next()));
    assertEquals(new Snowflake(server.clock.instant(), 1, 1), ids.parse(ids.next()));
    server.clock.advance(Duration.ofMillis(7));
    assertEquals(new Snowflake(server.clock.instant(), 1, 0), ids.parse(ids.next()));
    assertEquals(1, ids.worker());
  }

  @Test
  void fullUnit_movesTimeAhead_upToMaxAhead() throws Exception {
    SnowflakeIdGenerator ids = server.ids().snowflake("events");
    Instant start = server.clock.instant();
    long units = 1 + ScriptedIds.MAX_AHEAD.toMillis();
    long[] some = new long[PER_UNIT];
    for (int i = 0; i < units; i++) {
      ids.next(some);
      assertEquals(new Snowflake(start.plusMillis(i), 1, PER_UNIT - 1), ids.parse(some[4095]));
    }
    assertEquals(ScriptedIds.MAX_AHEAD, ids.ahead());
    IdsUnavailableException tooFar = assertThrows(IdsUnavailableException.class, ids::next);
    assertEquals(Duration.ofMillis(1), tooFar.retryAfter());
    server.clock.advance(Duration.ofMillis(1));
    ids.next();
  }

  @Test
  void bulk_isAllOrNone() throws Exception {
    SnowflakeIdGenerator ids = server.ids().snowflake("events");
    long most = (1 + ScriptedIds.MAX_AHEAD.toMillis()) * PER_UNIT;
    assertThrows(IdsUnavailableException.class, () -> ids.next(new long[(int) most + 1]));
    long[] all = new long[(int) most];
    ids.next(all);
    for (int i = 1; i < all.length; i++) {
      assertTrue(all[i] > all[i - 1]);
    }
    ids.next(new long[0]);
  }

  @Test
  void I4_times_lieAboveTheFloor() throws Exception {
    server.floor = server.clock.millis() + 3000;
    SnowflakeIdGenerator ids = server.ids().snowflake("events");
    assertEquals(server.clock.millis() + 3001, ids.parse(ids.next()).time().toEpochMilli());
  }

  @Test
  void I4_floorOutOfReach_isATypedFailure_withTheTimeItTakes() throws Exception {
    server.floor = server.clock.millis() + 30_000;
    SnowflakeIdGenerator ids = server.ids().snowflake("events");
    IdsUnavailableException wait = assertThrows(IdsUnavailableException.class, ids::next);
    assertEquals(Duration.ofMillis(25_001), wait.retryAfter());
    server.clock.advance(wait.retryAfter());
    ids.next();
  }

  @Test
  void I4_noTime_isAboveTheCeiling_whateverTheClockSays() throws Exception {
    SnowflakeIdGenerator ids = server.ids().snowflake("events");
    long ceiling = server.clock.millis() + 2 * ScriptedIds.TTL.toMillis();
    server.clock.stepWall(HOUR);
    long[] some = new long[PER_UNIT];
    long highest = 0;
    try {
      while (true) {
        ids.next(some);
        highest = ids.parse(some[PER_UNIT - 1]).time().toEpochMilli();
        assertTrue(highest <= ceiling);
      }
    } catch (IdsUnavailableException atTheCeiling) {
      assertEquals(ceiling, highest);
    }
  }

  @Test
  void I5_noId_afterTheDeadline_whenTheServerIsAway() throws Exception {
    SnowflakeIdGenerator ids = server.ids().snowflake("events");
    server.failure = Status.UNAVAILABLE;
    Duration believed = Duration.ofSeconds(27);
    server.clock.advance(believed.minusNanos(1));
    ids.next();
    server.clock.advance(Duration.ofNanos(1));
    assertThrows(IdsUnavailableException.class, ids::next);
    assertThrows(IdsUnavailableException.class, () -> ids.next(new long[3]));
    server.failure = Status.OK;
    server.clock.advance(Duration.ofSeconds(10));
    assertEquals(1, ids.parse(ids.next()).worker());
    assertTrue(server.renewals > 3);
  }

  @Test
  void I5_noId_afterAPauseOfTheProcess_beforeAnyThreadOfItsOwnHasRun() throws Exception {
    SnowflakeIdGenerator ids = server.ids().snowflake("events");
    ids.next();
    server.suspend(ScriptedIds.TTL);
    assertThrows(IdsUnavailableException.class, ids::next);
    server.clock.advance(Duration.ofSeconds(10));
    ids.next();
  }

  @Test
  void renewals_keepItGoing_andMoveTheCeiling() throws Exception {
    SnowflakeIdGenerator ids = server.ids().snowflake("events");
    long last = 0;
    for (int i = 0; i < 200; i++) {
      server.clock.advance(Duration.ofSeconds(3));
      long next = ids.next();
      assertTrue(next > last);
      assertEquals(server.clock.instant(), ids.parse(next).time());
      last = next;
    }
    assertEquals(1, server.hired);
  }

  @Test
  void lostWorker_isReplaced_andIdsGoOnAbove() throws Exception {
    server.hired = 8;
    SnowflakeIdGenerator ids = server.ids().snowflake("events");
    server.hired = 0;
    long before = ids.next();
    server.lost = true;
    server.failure = Status.OK;
    server.clock.stepWall(Duration.ofSeconds(-9)); // the clock shows the same as before
    server.clock.advance(Duration.ofSeconds(9));
    long after = ids.next();
    assertEquals(9, ids.parse(before).worker());
    assertEquals(1, ids.parse(after).worker());
    assertTrue(after > before);
    assertEquals(ids.parse(before).time().plusMillis(1), ids.parse(after).time());
  }

  @Test
  void withoutAWorker_itFails_typed() throws Exception {
    SnowflakeIdGenerator ids = server.ids().snowflake("events");
    server.lost = true;
    server.leasesNoWorker = true;
    server.clock.advance(Duration.ofSeconds(9));
    assertEquals(-1, ids.worker());
    IdsUnavailableException none = assertThrows(IdsUnavailableException.class, ids::next);
    assertTrue(none.getMessage().contains("no worker id"), none.getMessage());
    server.leasesNoWorker = false;
    server.clock.advance(Duration.ofSeconds(10));
    assertEquals(2, ids.parse(ids.next()).worker());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 20, 1000, 4999})
  void clockTurnedBack_withinMaxAhead_timeStaysAndIdsRise(long ms) throws Exception {
    SnowflakeIdGenerator ids = server.ids().snowflake("events");
    long last = ids.next();
    server.clock.stepWall(Duration.ofMillis(-ms));
    for (int i = 0; i < 3 * PER_UNIT; i++) {
      long next = last;
      try {
        next = ids.next();
      } catch (IdsUnavailableException e) {
        server.clock.advance(e.retryAfter());
        next = ids.next();
      }
      assertTrue(next > last);
      last = next;
    }
  }

  @Test
  void clockTurnedBackAnHour_isATypedFailure_untilItIsBack() throws Exception {
    SnowflakeIdGenerator ids = server.ids().snowflake("events");
    long before = ids.next();
    server.clock.stepWall(HOUR.negated());
    IdsUnavailableException behind = assertThrows(IdsUnavailableException.class, ids::next);
    assertEquals(HOUR.minus(ScriptedIds.MAX_AHEAD), behind.retryAfter());
    server.clock.stepWall(HOUR);
    assertTrue(ids.next() > before);
  }

  @Test
  void I1_placeTakenAfterTheWorkerWasGivenBack_isNotHandedOut() throws Exception {
    SnowflakeIdGenerator ids = server.ids().snowflake("events");
    Snowflake last = ids.parse(ids.next());
    server.clock.advance(Duration.ofSeconds(2));
    server.atNextLook(ids::close);
    assertThrows(IllegalStateException.class, ids::next);
    assertEquals(last.time().toEpochMilli(), server.releases.get(0).getLastUsedMs());
  }

  @Test
  void I2_placeTakenAfterTheWorkerWasReplaced_isNotHandedOut() throws Exception {
    SnowflakeIdGenerator ids = server.ids().snowflake("events");
    ids.next();
    server.lost = true;
    server.atNextLook(() -> server.clock.advance(Duration.ofSeconds(9)));
    assertEquals(2, ids.parse(ids.next()).worker());
  }

  @Test
  void close_releases_withTheLastTimeUsed() throws Exception {
    SnowflakeIdGenerator ids = server.ids().snowflake("events");
    Snowflake last = ids.parse(ids.next());
    server.clock.advance(Duration.ofSeconds(2));
    ids.close();
    assertEquals(last.time().toEpochMilli(), server.releases.get(0).getLastUsedMs());
    assertEquals(1, server.releases.get(0).getWorkerId());
    assertThrows(IllegalStateException.class, ids::next);
    assertThrows(IllegalStateException.class, () -> ids.next(new long[2]));
    ids.close();
    assertEquals(1, server.releases.size());
    int before = server.renewals;
    server.clock.advance(HOUR);
    assertEquals(before, server.renewals);
  }

  @Test
  void close_ofOneNeverUsed_givesItsFloor() throws Exception {
    server.floor = server.clock.millis() - 5000;
    server.ids().snowflake("events");
    server.client().close();
    assertEquals(server.floor, server.releases.get(0).getLastUsedMs());
  }

  @Test
  void I7_minAndMaxIdAt_encloseTheIdsOfATime() throws Exception {
    SnowflakeIdGenerator ids = server.ids().snowflake("events");
    Instant at = server.clock.instant();
    long id = ids.next();
    assertTrue(ids.minIdAt(at) <= id && id <= ids.maxIdAt(at));
    assertTrue(ids.maxIdAt(at.minusMillis(1)) < id && id < ids.minIdAt(at.plusMillis(1)));
    assertEquals(ids.maxIdAt(at) + 1, ids.minIdAt(at.plusMillis(1)));
    assertEquals(0, ids.minIdAt(Instant.EPOCH));
    assertEquals(-1, ids.maxIdAt(Instant.EPOCH));
    Instant end = Instant.ofEpochMilli(server.layout.getEpochMs() + (1L << 41) - 1);
    assertEquals(Long.MAX_VALUE, ids.maxIdAt(end));
    assertThrows(IllegalArgumentException.class, () -> ids.maxIdAt(end.plusMillis(1)));
  }
}
