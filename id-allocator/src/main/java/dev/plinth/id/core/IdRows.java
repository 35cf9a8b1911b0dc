package dev.plinth.id.core;

import dev.plinth.id.core.NamespaceDefinition.Dense;
import dev.plinth.id.core.NamespaceDefinition.Numbers;
import dev.plinth.id.core.NamespaceDefinition.Order;
import dev.plinth.id.core.NamespaceDefinition.Ranges;
import dev.plinth.id.core.NamespaceDefinition.Snowflake;
import dev.plinth.shards.Tx;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;

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
  private static final String VERSION = "v1";
  private static final String DENSE = "dense";
  private static final String NONE = "-";

  private IdRows() {}

  static void put(String name, NamespaceDefinition namespaceDefinition, long version, Tx tx) {
    tx.put(
        DEFINITIONS + name,
        namespaceDefinition instanceof Dense dense
            ? encode(version, dense)
            : encode(version, (Snowflake) namespaceDefinition));
  }

  private static byte[] encode(long version, Dense d) {
    Numbers n = d.numbers();
    Ranges r = d.ranges();
    return row(
        version,
        DENSE,
        d.order(),
        n.start(),
        n.max(),
        n.step(),
        n.remainder(),
        r.min(),
        r.max(),
        r.ttl().toMillis(),
        r.maxOutstanding(),
        d.maxPerSecond());
  }

  private static byte[] encode(long version, Snowflake s) {
    SnowflakeBitLayout l = s.snowflakeBitLayout();
    return row(
        version,
        "snowflake",
        s.bits(),
        l.epochMs(),
        l.timeBits(),
        l.workerBits(),
        l.sequenceBits(),
        l.unitMs(),
        s.workerTtl().toMillis(),
        s.maxAhead().toMillis(),
        s.maxPerSecond());
  }

  /** Of a definition's row. */
  static long version(String[] words) {
    return Long.parseLong(words[1]);
  }

  static NamespaceDefinition definition(String[] w) {
    if (w[2].equals(DENSE)) {
      return new Dense(
          Order.valueOf(w[3]),
          new Numbers(number(w[4]), number(w[5]), Integer.parseInt(w[6]), Integer.parseInt(w[7])),
          new Ranges(number(w[8]), number(w[9]), millis(w[10]), number(w[11])),
          number(w[12]));
    }
    SnowflakeBitLayout snowflakeBitLayout =
        new SnowflakeBitLayout(
            number(w[4]),
            Integer.parseInt(w[5]),
            Integer.parseInt(w[6]),
            Integer.parseInt(w[7]),
            Integer.parseInt(w[8]));
    return new Snowflake(
        Integer.parseInt(w[3]), snowflakeBitLayout, millis(w[9]), millis(w[10]), number(w[11]));
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
      tx.put(COUNTERS + name, row(epoch, reserved, issued, wasted, leased));
    }

    static Counter of(String[] w) {
      return new Counter(number(w[1]), number(w[2]), number(w[3]), number(w[4]), number(w[5]));
    }
  }

  /**
   * A worker id.
   *
   * @param owner empty once it was released
   */
  record Worker(long epoch, String owner, long floorMs, long ceilingMs) {
    void put(String name, int worker, Tx tx) {
      String who = owner.isEmpty() ? NONE : URLEncoder.encode(owner, StandardCharsets.UTF_8);
      tx.put(
          WORKERS + name + "/" + worker,
          row(epoch, who.equals(NONE) && !owner.isEmpty() ? "%2D" : who, floorMs, ceilingMs));
    }

    static Worker of(String[] w) {
      String owner = w[2].equals(NONE) ? "" : URLDecoder.decode(w[2], StandardCharsets.UTF_8);
      return new Worker(number(w[1]), owner, number(w[3]), number(w[4]));
    }
  }

  /** The latest time that a snowflake made by the server can have. */
  static void putMinted(String name, long ms, Tx tx) {
    tx.put(MINTED + name, row(ms));
  }

  static long minted(String[] words) {
    return number(words[1]);
  }

  private static byte[] row(Object... words) {
    return (VERSION
            + " "
            + Arrays.stream(words).map(String::valueOf).collect(Collectors.joining(" ")))
        .getBytes(StandardCharsets.UTF_8);
  }

  /** The words of a row, the first of which is a version that we know. */
  static String[] words(String rowKey, byte[] value) {
    String[] words = new String(value, StandardCharsets.UTF_8).split(" ");
    if (!words[0].equals(VERSION)) {
      throw new IllegalStateException(
          rowKey + " has format " + words[0] + " (expected: " + VERSION + ")");
    }
    return words;
  }

  private static long number(String word) {
    return Long.parseLong(word);
  }

  private static Duration millis(String word) {
    return Duration.ofMillis(Long.parseLong(word));
  }
}
