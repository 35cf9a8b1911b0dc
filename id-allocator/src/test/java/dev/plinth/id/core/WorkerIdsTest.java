package dev.plinth.id.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.id.core.NamespaceDefinition.Snowflake;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Worker ids, their windows, and the ids that the server makes itself. */
class WorkerIdsTest extends CoreTest {
  private static final Duration HOUR = Duration.ofHours(1);

  @Test
  void lease_isWrittenWithItsCeiling_beforeItIsTold() {
    define(EVENTS, snowflake(2));
    LeaseWorkerResult.Leased leased =
        (LeaseWorkerResult.Leased) ids.leaseWorker(EVENTS, "ann b", tx.next());
    assertEquals(1, tx.writes());
    tx.commit();
    WorkerView ann = leased.worker();
    assertEquals(EPOCH - 1, ann.floorMs());
    assertEquals(clock.millis() + 60_000, ann.ceilingMs());
    assertEquals("v1 1 ann+b %d %d".formatted(EPOCH - 1, ann.ceilingMs()), tx.row("id/w/events/0"));
  }

  @Test
  void I4_nextHolder_startsAboveTheFormersCeiling_whateverTheClockSays() {
    define(EVENTS, snowflake(0));
    WorkerView ann = leaseWorker("ann");
    clock.advance(TTL);
    clock.stepWall(HOUR.negated());
    WorkerView bob = leaseWorker("bob");
    assertEquals(ann.ceilingMs(), bob.floorMs());
    assertTrue(bob.ceilingMs() > bob.floorMs());
    assertEquals(ann.epoch() + 1, bob.epoch());
    assertEquals(1, events.behind);
    assertEquals(Optional.empty(), renew(ann).value(), "ann is stale");
    assertFalse(ids.releaseWorker(EVENTS, 0, ann.epoch(), 0, tx.next()));
    takeOver();
    clock.advance(TTL);
    assertEquals(bob.ceilingMs(), leaseWorker("cid").floorMs());
  }

  @Test
  void release_lowersTheNextFloor_butNotBelowItsOwn() {
    define(EVENTS, snowflake(0));
    WorkerView ann = leaseWorker("ann");
    long used = clock.millis();
    refused(
        ErrorReason.ERROR_REASON_FIELD_INVALID,
        () -> ids.releaseWorker(EVENTS, 0, ann.epoch(), ann.ceilingMs() + 1, tx.next()));
    assertTrue(ids.releaseWorker(EVENTS, 0, ann.epoch(), used, tx.next()));
    WorkerView bob = leaseWorker("bob");
    assertEquals(used, bob.floorMs());
    assertTrue(ids.releaseWorker(EVENTS, 0, bob.epoch(), 1, tx.next()));
    WorkerView cid = leaseWorker("cid");
    assertEquals(used, cid.floorMs(), "ann's times are not given again");
    assertTrue(ids.releaseWorker(EVENTS, 0, cid.epoch(), 0, tx.next()));
    assertEquals(cid.ceilingMs(), leaseWorker("dan").floorMs());
  }

  @Test
  void I4_windowsEndWithWholeUnits() {
    define(EVENTS, snowflake(new SnowflakeBitLayout(EPOCH + 3, 41, 0, 22, 10)));
    WorkerView ann = leaseWorker("ann");
    assertEquals(0, (ann.ceilingMs() + 1 - EPOCH - 3) % 10);
    ids.releaseWorker(EVENTS, 0, ann.epoch(), clock.millis(), tx.next());
    assertEquals(0, (leaseWorker("bob").floorMs() + 1 - EPOCH - 3) % 10);
  }

  @Test
  void freeSlot_withTheLowestCeiling_isNext() {
    define(EVENTS, snowflake(1));
    WorkerView ann = leaseWorker("ann");
    clock.advance(Duration.ofSeconds(1));
    WorkerView bob = leaseWorker("bob");
    assertNotEquals(ann.worker(), bob.worker());
    LeaseWorkerResult none = ids.leaseWorker(EVENTS, "cid", tx.next());
    assertEquals(new LeaseWorkerResult.Exhausted(TTL.minusSeconds(1)), none);
    clock.advance(TTL);
    assertEquals(ann.worker(), leaseWorker("cid").worker(), "it was silent for longer");
    assertEquals(
        1, ((IdNamespaceStatus.SnowflakeProgress) ids.status(EVENTS, tx).progress()).inUse());
  }

  @Test
  void renewal_keepsIt_andWritesOnlyWhenHalfTheWindowIsUsed() {
    define(EVENTS, snowflake(0));
    WorkerView ann = leaseWorker("ann");
    int writes = 0;
    for (int i = 0; i < 60; i++) {
      clock.advance(Duration.ofSeconds(10));
      Allocation<Optional<WorkerView>> renewed = renew(ann);
      assertTrue(renewed.value().orElseThrow().ceilingMs() - clock.millis() >= 30_000);
      assertEquals(tx.writes() == 0, renewed.durable());
      writes += tx.writes();
      tx.commit();
    }
    assertTrue(writes <= 20, writes + " writes for 60 renewals");
    clock.advance(TTL);
    assertEquals(Optional.empty(), renew(ann).value());
  }

  @Test
  void I4_ceilingThatIsNotDurable_isToldToNobody() {
    define(EVENTS, snowflake(0));
    WorkerView ann = leaseWorker("ann");
    clock.stepWall(HOUR);
    assertFalse(renew(ann).durable());
    assertFalse(renew(ann).durable(), "the raise is still on its way");
    takeOver();
    clock.advance(TTL);
    assertEquals(ann.ceilingMs(), leaseWorker("bob").floorMs());
  }

  private Allocation<Optional<WorkerView>> renew(WorkerView worker) {
    return ids.renewWorker(EVENTS, worker.worker(), worker.epoch(), tx.next());
  }

  @Test
  void takeover_givesEveryHolderItsFullTime() {
    define(EVENTS, snowflake(1));
    WorkerView ann = leaseWorker("ann");
    clock.advance(TTL.minusSeconds(1));
    takeOver();
    clock.advance(TTL.minusSeconds(1));
    assertTrue(renew(ann).value().isPresent());
  }

  @Test
  void I7_idsRoundTrip_withNoSignBit() {
    SnowflakeBitLayout snowflakeBitLayout = new SnowflakeBitLayout(EPOCH, 41, 10, 12, 1);
    for (long unit : new long[] {0, 1, 123_456_789, (1L << 41) - 1}) {
      for (int worker : new int[] {0, 1, 1023}) {
        for (long sequence : new long[] {0, 4095}) {
          long id = snowflakeBitLayout.id(unit, worker, sequence);
          assertTrue(id >= 0);
          assertEquals(snowflakeBitLayout.time(unit), snowflakeBitLayout.timeOf(id));
          assertEquals(worker, snowflakeBitLayout.workerOf(id));
          assertEquals(sequence, snowflakeBitLayout.sequenceOf(id));
        }
      }
    }
  }

  @Test
  void I7_nothingIsGrantedPastTheHorizon() {
    SnowflakeBitLayout snowflakeBitLayout = new SnowflakeBitLayout(EPOCH, 36, 5, 22, 1);
    define(EVENTS, snowflake(snowflakeBitLayout));
    Instant last = Instant.ofEpochMilli(snowflakeBitLayout.horizonMs());
    clock.stepWall(Duration.between(clock.instant(), last).minusMillis(60_000));
    WorkerView ann = leaseWorker("ann");
    assertEquals(snowflakeBitLayout.horizonMs(), ann.ceilingMs());
    clock.stepWall(Duration.ofMillis(1));
    refused(
        ErrorReason.ERROR_REASON_SEQUENCE_EXHAUSTED,
        () -> ids.leaseWorker(EVENTS, "bob", tx.next()));
    assertEquals(snowflakeBitLayout.horizonMs(), renew(ann).value().orElseThrow().ceilingMs());
    clock.stepWall(Duration.ofMillis(59_999));
    assertTrue(mint(1).get(0) > 0);
    mint(1);
    assertEquals(1, allocate(EVENTS, 1).value().count(), "though the ceiling cannot rise");
    clock.stepWall(Duration.ofMillis(1));
    refused(ErrorReason.ERROR_REASON_SEQUENCE_EXHAUSTED, () -> mint(1));
  }

  private List<Long> mint(int count) {
    List<Long> minted = allocate(EVENTS, count).value().listed();
    tx.commit();
    return minted;
  }

  @Test
  void mint_waitsForItsWindowOnce_andRises() {
    define(EVENTS, snowflake(10));
    Allocation<AllocatedIds> first = allocate(EVENTS, 3);
    assertFalse(first.durable());
    tx.commit();
    Allocation<AllocatedIds> next = allocate(EVENTS, 2);
    assertTrue(next.durable());
    assertEquals(0, tx.writes());
    List<Long> all =
        List.of(first.value().listed(), next.value().listed()).stream()
            .flatMap(List::stream)
            .toList();
    assertEquals(all.stream().sorted().distinct().toList(), all);
    clock.stepWall(Duration.ofSeconds(-3));
    assertTrue(mint(1).get(0) > all.get(4), "time in ids does not fall");
  }

  @Test
  void mint_runsAheadWithinBounds_andTellsWhenToComeBack() {
    define(EVENTS, snowflake(new SnowflakeBitLayout(EPOCH, 41, 20 - 4, 6, 1)));
    for (int i = 0; i < 5; i++) {
      assertEquals(10_000, mint(10_000).size() * 1);
    }
    for (int i = 0; i < 27; i++) {
      mint(10_000);
    }
    Failure.Exhausted ahead =
        (Failure.Exhausted) refused(ErrorReason.ERROR_REASON_RATE_EXCEEDED, () -> mint(10_000));
    clock.advance(ahead.retryAfter());
    mint(10_000);
    clock.stepWall(HOUR.negated());
    refused(ErrorReason.ERROR_REASON_RATE_EXCEEDED, () -> mint(1));
    assertEquals(1, events.workers, "a refusal leases nothing");
  }

  @Test
  void I2_mint_afterATakeover_goesOnAtOnce_aboveTheLast() {
    define(EVENTS, snowflake(0));
    long before = mint(1).get(0);
    takeOver();
    long after = mint(1).get(0);
    assertTrue(after > before);
    clock.advance(Duration.ofSeconds(3));
    clock.stepWall(Duration.ofSeconds(-2));
    takeOver();
    assertTrue(mint(1).get(0) > after);
  }

  @Test
  void I2_mint_afterATakeoverWithTheClockTurnedBack_doesNotFall() {
    define(EVENTS, snowflake(10));
    long before = mint(1).get(0);
    clock.stepWall(HOUR.negated());
    takeOver();
    refused(ErrorReason.ERROR_REASON_RATE_EXCEEDED, () -> mint(1));
    Snowflake is = snowflake(10);
    define(EVENTS, new Snowflake(63, is.snowflakeBitLayout(), TTL, HOUR.multipliedBy(2), 0));
    assertTrue(mint(1).get(0) > before, "a longer max_ahead lets it go on");
  }

  @Test
  void I2_mint_afterItsWorkerWasLetGo_doesNotFall() {
    define(EVENTS, snowflake(10));
    long before = mint(1).get(0);
    clock.advance(TTL.plusSeconds(1));
    clock.stepWall(Duration.ofSeconds(-33));
    assertTrue(mint(1).get(0) > before);
  }

  @Test
  void mint_withoutAFreeWorker_tellsWhenOneMayBe() {
    define(EVENTS, snowflake(0));
    leaseWorker("ann");
    Failure.Exhausted none =
        (Failure.Exhausted) refused(ErrorReason.ERROR_REASON_QUOTA_EXCEEDED, () -> mint(1));
    assertEquals(TTL, none.retryAfter());
  }

  @Test
  void mint_ofMoreThanCanEverBe_isRefused() {
    define(EVENTS, snowflake(new SnowflakeBitLayout(EPOCH, 41, 16, 6, 10_000)));
    refused(ErrorReason.ERROR_REASON_FIELD_INVALID, () -> mint(65));
    mint(64);
  }

  @Test
  void parse_tellsWhatAnIdIsMadeOf() {
    define(EVENTS, snowflake(10));
    long id = mint(2).get(1);
    assertEquals(
        new ParsedId.SnowflakeParts(id, clock.millis(), 0, 1, true), ids.parse(EVENTS, id));
    assertFalse(ids.parse(EVENTS, id + (1 << 12)).issued(), "worker 1 was never granted");
    assertFalse(ids.parse(EVENTS, id + (60_001L << 22)).issued(), "not yet");
  }
}
