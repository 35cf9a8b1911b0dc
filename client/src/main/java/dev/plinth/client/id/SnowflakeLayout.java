package dev.plinth.client.id;

import dev.plinth.id.v1.Layout;
import java.time.Instant;

/**
 * The bits of a snowflake id. A place is time in units and sequence without the worker: places of
 * one worker follow each other without a gap, and an overflow of the sequence is the next unit.
 */
record SnowflakeLayout(long epochMs, int timeBits, int workerBits, int sequenceBits, int unitMs) {
  static SnowflakeLayout of(Layout layout) {
    return new SnowflakeLayout(
        layout.getEpochMs(),
        layout.getTimeBits(),
        layout.getWorkerBits(),
        layout.getSequenceBits(),
        layout.getUnitMs());
  }

  /** That of a millisecond; below 0 before the epoch. */
  long unit(long ms) {
    return Math.floorDiv(ms - epochMs, (long) unitMs);
  }

  /** The first millisecond of a unit: what ids carry. */
  long time(long unit) {
    return epochMs + unit * unitMs;
  }

  long firstPosition(long unit) {
    return unit << sequenceBits;
  }

  long unitOf(long place) {
    return place >> sequenceBits;
  }

  long id(long place, int worker) {
    long sequence = place & lowBits(sequenceBits);
    return unitOf(place) << (workerBits + sequenceBits) | (long) worker << sequenceBits | sequence;
  }

  Snowflake parse(long id) {
    return new Snowflake(
        Instant.ofEpochMilli(time(id >>> (workerBits + sequenceBits))),
        (int) (id >>> sequenceBits & lowBits(workerBits)),
        id & lowBits(sequenceBits));
  }

  long lowestAt(long ms) {
    return Math.max(0, checked(unit(ms))) << (workerBits + sequenceBits);
  }

  /** Of a time before the epoch: -1, which is below every id. */
  long highestAt(long ms) {
    long unit = Math.max(-1, checked(unit(ms)));
    return (unit + 1 << (workerBits + sequenceBits)) - 1;
  }

  private long checked(long unit) {
    if (unit > lowBits(timeBits)) {
      throw new IllegalArgumentException(
          "time: "
              + Instant.ofEpochMilli(time(unit))
              + " (expected: up to "
              + Instant.ofEpochMilli(time(lowBits(timeBits) + 1) - 1)
              + ", where the time bits end)");
    }
    return unit;
  }

  private static long lowBits(int count) {
    return (1L << count) - 1;
  }
}
