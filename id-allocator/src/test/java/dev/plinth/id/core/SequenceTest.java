package dev.plinth.id.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.id.core.NamespaceDefinition.Dense;
import dev.plinth.id.core.NamespaceDefinition.Numbers;
import dev.plinth.id.core.NamespaceDefinition.Order;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Counters and their ranges. */
class SequenceTest extends CoreTest {
  @BeforeEach
  void begin() {
    define(ORDERS, dense());
  }

  @Test
  void firstIds_waitForTheirBlock_laterOnesDoNot() {
    assertFalse(allocate(ORDERS, 1).durable());
    assertFalse(allocate(ORDERS, 1).durable(), "the block is still on its way");
    tx.commit();
    assertTrue(allocate(ORDERS, 1).durable());
    assertEquals(0, tx.writes());
    assertEquals(4, first(1));
  }

  @Test
  void steadyStream_neverWaits() {
    first(1);
    int waits = events.waits;
    for (int i = 0; i < 5000; i++) {
      clock.advance(Duration.ofMillis(1));
      assertTrue(allocate(ORDERS, 1).durable(), "id " + i);
      if (i % 20 == 0) {
        tx.commit(); // up to 20 ms later
      }
    }
    assertEquals(waits, events.waits);
    assertTrue(events.refills < 100, "blocks grow with the rate: " + events.refills);
  }

  @Test
  void I1_takeover_startsBehindTheBlock_andCountsItAsWasted() {
    first(10);
    IdNamespaceStatus.DenseProgress before = progress();
    takeOver();
    assertEquals(before.next(), first(1));
    assertEquals(10, progress().sequenceLedger().issued() - 1);
    assertEquals(before.next() - 1 - 10, progress().sequenceLedger().wasted());
    assertEquals(before.epoch() + 1, progress().epoch());
  }

  @Test
  void I1_blockThatWasNotCommitted_givesNothingBeforeItIs() {
    Allocation<AllocatedIds> lost = allocate(ORDERS, 5);
    assertFalse(lost.durable());
    takeOver();
    assertEquals(lost.value().first(), first(1), "nobody was ever told of it");
  }

  @Test
  void I2_strict_neverPassesAnAnswerThatWaits() {
    Dense d = dense();
    define("strict", new Dense(Order.STRICT, d.numbers(), d.ranges(), 0));
    allocate("strict", 1);
    tx.commit();
    Allocation<AllocatedIds> second = allocate("strict", 1);
    assertFalse(second.durable(), "it waits, as one before it may: under a request id, say");
    assertFalse(allocate("strict", 1).durable(), "it would be answered before the one before it");
    assertEquals(2, second.value().first());
    refused(ErrorReason.ERROR_REASON_WRONG_FORMAT, () -> ids.leaseRange("strict", 10, tx.next()));
  }

  @Test
  void I3_maxIsNeverPassed() {
    define("few", dense(5));
    assertEquals(1, allocate("few", 3).value().first());
    Failure left = refused(ErrorReason.ERROR_REASON_SEQUENCE_EXHAUSTED, () -> allocate("few", 3));
    assertTrue(left.getMessage().contains("2 ids left"), left.getMessage());
    RangeView rest = ids.leaseRange("few", 100, tx.next()).value();
    assertEquals(4, rest.first());
    assertEquals(2, rest.count());
    refused(ErrorReason.ERROR_REASON_SEQUENCE_EXHAUSTED, () -> ids.leaseRange("few", 1, tx.next()));
    define("few", dense(6));
    assertEquals(6, allocate("few", 1).value().first());
    define("last", new Dense(Order.PER_CLIENT, numbers(Long.MAX_VALUE - 1, 1, 0), ranges(0), 0));
    assertEquals(Long.MAX_VALUE - 1, allocate("last", 1).value().first());
    assertEquals(Long.MAX_VALUE, allocate("last", 1).value().first());
    refused(ErrorReason.ERROR_REASON_SEQUENCE_EXHAUSTED, () -> allocate("last", 1));
  }

  private static Numbers numbers(long start, int step, int remainder) {
    return new Numbers(start, Long.MAX_VALUE, step, remainder);
  }

  @Test
  void regions_shareASequence() {
    for (int region = 0; region < 3; region++) {
      String name = "region" + region;
      define(name, new Dense(Order.PER_CLIENT, numbers(100, 3, region), ranges(0), 0));
      long first = allocate(name, 4).value().first();
      assertEquals(region, first % 3);
      assertTrue(first >= 100 && first < 103);
      assertEquals(first + 12, allocate(name, 1).value().first());
    }
  }

  @Test
  void I6_ledgerAddsUp_throughTheLifeOfARange() {
    first(5);
    RangeView old = lease(100);
    RangeView newest = lease(100);
    long next = progress().next();
    assertEquals(
        new ReturnRangeResult(ReturnRangeResult.Outcome.RECLAIMED, 90),
        ids.returnRange(ORDERS, newest.leaseId(), 10, tx.next()));
    check();
    assertEquals(next, progress().next(), "what was set aside stays so");
    assertEquals(newest.first() + 10, first(1), "the rest is given to others");
    assertEquals(
        new ReturnRangeResult(ReturnRangeResult.Outcome.WASTED, 60),
        ids.returnRange(ORDERS, old.leaseId(), 40, tx.next()));
    check();
    assertEquals(60, progress().sequenceLedger().wasted());
    assertEquals(
        ReturnRangeResult.Outcome.NOT_OUT,
        ids.returnRange(ORDERS, old.leaseId(), 40, tx.next()).outcome());
    RangeView silent = lease(50);
    long issued = progress().sequenceLedger().issued();
    clock.advance(Duration.ofHours(1).minusMillis(1));
    assertEquals(issued, progress().sequenceLedger().issued());
    clock.advance(Duration.ofMillis(1));
    assertEquals(issued + 50, progress().sequenceLedger().issued());
    check();
    assertEquals(
        ReturnRangeResult.Outcome.NOT_OUT,
        ids.returnRange(ORDERS, silent.leaseId(), 0, tx.next()).outcome());
    assertEquals(1, events.ended.get("EXPIRED"));
  }

  private void check() {
    IdNamespaceStatus.DenseProgress now = progress();
    assertEquals(now.next() - 1, now.sequenceLedger().sum());
    assertEquals(events.ids, events.sequenceLedger.sum(), "the exported ledger adds up too");
  }

  @Test
  void returnOfMoreThanThereIs_isRefused() {
    RangeView range = lease(10);
    refused(
        ErrorReason.ERROR_REASON_FIELD_INVALID,
        () -> ids.returnRange(ORDERS, range.leaseId(), 11, tx.next()));
    assertEquals(
        ReturnRangeResult.Outcome.RECLAIMED,
        ids.returnRange(ORDERS, range.leaseId(), 10, tx).outcome());
  }

  @Test
  void rangeOfAFormerOwner_isNotOut_andCountsAsIssued() {
    RangeView range = lease(10);
    takeOver();
    assertEquals(10, progress().sequenceLedger().issued());
    assertEquals(
        ReturnRangeResult.Outcome.NOT_OUT,
        ids.returnRange(ORDERS, range.leaseId(), 0, tx.next()).outcome());
    assertTrue(lease(10).epoch() > range.epoch());
  }

  @Test
  void rangeSize_followsTheRate_withinBounds() {
    assertEquals(10, lease(0).count());
    assertEquals(10, lease(1).count());
    assertEquals(1000, lease(5000).count());
    assertEquals(1000, lease(0).suggestedNext(), "a thousand at once calls for more");
    clock.advance(Duration.ofHours(2));
    assertEquals(10, lease(10).suggestedNext());
  }

  @Test
  void maxOutstanding_isFilled_thenRefused_untilARangeEnds() {
    define(ORDERS, new Dense(Order.PER_CLIENT, dense().numbers(), ranges(25), 0));
    assertEquals(20, lease(20).count());
    RangeView rest = lease(20);
    assertEquals(5, rest.count());
    Failure.Exhausted full =
        (Failure.Exhausted) refused(ErrorReason.ERROR_REASON_QUOTA_EXCEEDED, () -> lease(20));
    assertEquals(Duration.ofHours(1), full.retryAfter());
    first(1);
    ids.returnRange(ORDERS, rest.leaseId(), 5, tx.next());
    assertEquals(5, lease(20).count());
    clock.advance(Duration.ofHours(1));
    assertEquals(20, lease(20).count());
  }

  @Test
  void maxPerSecond_letsASecondsWorthThrough_andTellsWhenToComeBack() {
    define(ORDERS, new Dense(Order.PER_CLIENT, dense().numbers(), ranges(0), 100));
    first(60);
    first(40);
    Failure.Exhausted full =
        (Failure.Exhausted) refused(ErrorReason.ERROR_REASON_RATE_EXCEEDED, () -> first(50));
    assertEquals(Duration.ofMillis(500), full.retryAfter());
    clock.advance(Duration.ofMillis(499));
    refused(ErrorReason.ERROR_REASON_RATE_EXCEEDED, () -> first(50));
    clock.advance(Duration.ofMillis(1));
    first(50);
    clock.advance(Duration.ofSeconds(1));
    first(1000); // nothing was owed; now ten seconds are
    clock.advance(Duration.ofSeconds(8));
    refused(ErrorReason.ERROR_REASON_RATE_EXCEEDED, () -> first(1));
    clock.advance(Duration.ofSeconds(2));
    first(1);
  }

  @Test
  void advance_goesForwardOnly_andWastesWhatItSkips() {
    first(5);
    ids.advance(ORDERS, 1000, tx.next());
    tx.commit();
    assertEquals(1000, first(1));
    assertEquals(1 + 5, progress().sequenceLedger().issued());
    check();
    ids.advance(ORDERS, 10, tx.next());
    assertEquals(0, tx.writes());
    assertEquals(1001, first(1));
    ids.advance(ORDERS, 1010, tx.next());
    assertEquals(1010, first(1), "within the block");
    check();
    takeOver();
    assertTrue(first(1) > 1010);
    refused(
        ErrorReason.ERROR_REASON_FIELD_INVALID,
        () -> {
          define("few", dense(5));
          ids.advance("few", 6, tx.next());
        });
  }

  @Test
  void counter_isWrittenWithItsBlock_asTextThatAnOperatorReads() {
    first(1);
    allocate(ORDERS, 1);
    assertEquals(0, tx.writes(), "it lies in the block");
    RangeView range = lease(10);
    ids.returnRange(ORDERS, range.leaseId(), 4, tx.next());
    assertEquals(1, tx.writes());
    tx.commit();
    assertEquals("v1 1 65 6 0 0", tx.row("id/c/orders"));
  }

  @Test
  void rows_ofAnotherFormat_areRefused() {
    first(1);
    tx.rows().put("id/c/orders", "v9 1".getBytes());
    IllegalStateException refused = assertThrows(IllegalStateException.class, this::takeOver);
    assertTrue(refused.getMessage().contains("id/c/orders has format v9"), refused.getMessage());
  }

  @Test
  void parse_tellsTheirPlace() {
    define("third", new Dense(Order.PER_CLIENT, numbers(100, 3, 2), ranges(0), 0));
    allocate("third", 2);
    assertEquals(new ParsedId.DenseParts(104, 1, true), ids.parse("third", 104));
    assertEquals(new ParsedId.DenseParts(107, 2, false), ids.parse("third", 107));
    assertEquals(new ParsedId.DenseParts(105, -1, false), ids.parse("third", 105));
    assertEquals(new ParsedId.DenseParts(98, -1, false), ids.parse("third", 98));
  }
}
