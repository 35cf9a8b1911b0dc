package dev.plinth.id.core;

/**
 * The bits of a snowflake id. Time is counted in units since the epoch; what an id carries is the
 * first millisecond of its unit.
 */
public record SnowflakeBitLayout(
    long epochMs, int timeBits, int workerBits, int sequenceBits, int unitMs) {
  public int workers() {
    return 1 << workerBits;
  }

  /** Ids that one worker can make in one unit. */
  long perUnit() {
    return 1L << sequenceBits;
  }

  /** The last millisecond that fits into the time bits. */
  public long horizonMs() {
    return epochMs + (1L << timeBits) * unitMs - 1;
  }

  /** That of a millisecond; below 0 before the epoch. */
  long unit(long ms) {
    return Math.floorDiv(ms - epochMs, (long) unitMs);
  }

  /** The first millisecond of a unit. */
  long time(long unit) {
    return epochMs + unit * unitMs;
  }

  /** The last millisecond of the unit that a millisecond lies in: windows end with whole units. */
  long endOfUnit(long ms) {
    return time(unit(ms) + 1) - 1;
  }

  long id(long unit, int worker, long sequence) {
    return unit << (workerBits + sequenceBits) | (long) worker << sequenceBits | sequence;
  }

  public long timeOf(long id) {
    return time(id >>> (workerBits + sequenceBits));
  }

  public int workerOf(long id) {
    return (int) (id >>> sequenceBits) & (workers() - 1);
  }

  public long sequenceOf(long id) {
    return id & (perUnit() - 1);
  }
}
