package dev.plinth.simulation.workload.ids;

import com.google.protobuf.util.Durations;
import dev.plinth.id.v1.Definition;
import dev.plinth.id.v1.Format;
import dev.plinth.id.v1.Layout;
import dev.plinth.id.v1.Order;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

/** The namespaces of a run, small on purpose. */
final class IdNames {
  /** Of real clients, in ranges. */
  static final String RANGES = "ranges";

  /** Of callers of the API that keep accounts. */
  static final String COUNTED = "counted";

  /** In strict order. */
  static final String STRICT = "strict";

  /** Made of time and worker ids, by servers and clients. */
  static final String SNOWFLAKES = "snowflakes";

  static final long FIRST = 1;

  private static final long EPOCH = Instant.parse("2029-01-01T00:00:00Z").toEpochMilli();

  private IdNames() {}

  static Map<String, Definition> definitions() {
    Map<String, Definition> all = new TreeMap<>();
    all.put(RANGES, dense(Order.ORDER_PER_CLIENT));
    all.put(COUNTED, dense(Order.ORDER_PER_CLIENT));
    all.put(
        STRICT,
        Definition.newBuilder()
            .setFormat(Format.FORMAT_DENSE)
            .setOrder(Order.ORDER_STRICT)
            .build());
    all.put(
        SNOWFLAKES,
        Definition.newBuilder()
            .setFormat(Format.FORMAT_SNOWFLAKE)
            .setLayout(
                Layout.newBuilder()
                    .setEpochMs(EPOCH)
                    .setTimeBits(44)
                    .setWorkerBits(3)
                    .setSequenceBits(16))
            .setWorkerTtl(Durations.fromSeconds(3))
            .setMaxAhead(Durations.fromSeconds(2))
            .build());
    return all;
  }

  private static Definition dense(Order order) {
    return Definition.newBuilder()
        .setFormat(Format.FORMAT_DENSE)
        .setOrder(order)
        .setStart(FIRST)
        .setMinRange(5)
        .setMaxRange(100)
        .setRangeTtl(Durations.fromSeconds(20))
        .build();
  }
}
