package dev.plinth.id.core;

import dev.plinth.id.core.NamespaceDefinition.Dense;
import dev.plinth.id.core.NamespaceDefinition.Numbers;
import dev.plinth.id.core.NamespaceDefinition.Order;
import dev.plinth.id.core.NamespaceDefinition.Ranges;
import dev.plinth.id.core.NamespaceDefinition.Snowflake;
import dev.plinth.shards.RowReader;
import dev.plinth.shards.RowWriter;
import dev.plinth.shards.Tx;

/**
 * Rows are text that an operator can read: words split by spaces, the format's version first, times
 * in milliseconds, {@code -} for nothing.
 *
 * <pre>
 * id/n/orders:     v1 1 dense PER_CLIENT 1 9223372036854775807 1 0 1000 1000000 3600000 0 0
 * id/c/orders:     v1 3 5064 5000 0 0
 * id/n/events:     v1 1 snowflake 63 1735689600000 41 10 12 1 30000 5000 0
 * id/w/events/7:   v1 2 ann 1767225600000 1767225660000
 * id/m/events:     v1 1767225602500
 * </pre>
 */
final class IdRows {
  static final String DEFINITIONS = "id/n/";
  static final String COUNTERS = "id/c/";
  static final String WORKERS = "id/w/";
  static final String MINTED = "id/m/";
  private static final String DENSE = "dense";

  private IdRows() {}

  static void put(String name, NamespaceDefinition namespaceDefinition, long version, Tx tx) {
    RowWriter row = RowWriter.row().number(version);
    tx.put(
        DEFINITIONS + name,
        namespaceDefinition instanceof Dense dense
            ? encode(row, dense)
            : encode(row, (Snowflake) namespaceDefinition));
  }

  private static byte[] encode(RowWriter row, Dense d) {
    return row.word(DENSE)
        .word(d.order())
        .number(d.numbers().start())
        .number(d.numbers().max())
        .number(d.numbers().step())
        .number(d.numbers().remainder())
        .number(d.ranges().min())
        .number(d.ranges().max())
        .millis(d.ranges().ttl())
        .number(d.ranges().maxOutstanding())
        .number(d.maxPerSecond())
        .bytes();
  }

  private static byte[] encode(RowWriter row, Snowflake s) {
    SnowflakeBitLayout l = s.snowflakeBitLayout();
    return row.word("snowflake")
        .number(s.bits())
        .number(l.epochMs())
        .number(l.timeBits())
        .number(l.workerBits())
        .number(l.sequenceBits())
        .number(l.unitMs())
        .millis(s.workerTtl())
        .millis(s.maxAhead())
        .number(s.maxPerSecond())
        .bytes();
  }

  /** What follows the version in its row. */
  static NamespaceDefinition definition(RowReader row) {
    if (row.flag(DENSE)) {
      return new Dense(
          Order.valueOf(row.word()),
          new Numbers(row.number(), row.number(), row.integer(), row.integer()),
          new Ranges(row.number(), row.number(), row.millis(), row.number()),
          row.number());
    }
    return new Snowflake(
        row.integer(),
        new SnowflakeBitLayout(
            row.number(), row.integer(), row.integer(), row.integer(), row.integer()),
        row.millis(),
        row.millis(),
        row.number());
  }

  /**
   * How far a counter is, in ids from the first.
   *
   * @param reserved what nobody but the writer of this row may have given out
   * @param leased in ranges that were out
   */
  record Counter(long epoch, long reserved, long issued, long wasted, long leased) {
    static final Counter NEW = new Counter(0, 0, 0, 0, 0);

    void put(String name, Tx tx) {
      RowWriter row = RowWriter.row().number(epoch).number(reserved).number(issued);
      tx.put(COUNTERS + name, row.number(wasted).number(leased).bytes());
    }

    static Counter decode(RowReader row) {
      return new Counter(row.number(), row.number(), row.number(), row.number(), row.number());
    }
  }

  /**
   * A worker id.
   *
   * @param owner empty once it was released
   */
  record Worker(long epoch, String owner, long floorMs, long ceilingMs) {
    void put(String name, int worker, Tx tx) {
      RowWriter row = RowWriter.row().number(epoch).text(owner).number(floorMs);
      tx.put(WORKERS + name + "/" + worker, row.number(ceilingMs).bytes());
    }

    static Worker decode(RowReader row) {
      return new Worker(row.number(), row.text(), row.number(), row.number());
    }
  }

  /** The latest time that a snowflake made by the server can have. */
  static void putMinted(String name, long ms, Tx tx) {
    tx.put(MINTED + name, RowWriter.row().number(ms).bytes());
  }
}
