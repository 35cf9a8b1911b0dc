package dev.plinth.id.grpc;

import dev.plinth.id.core.NamespaceDefinition;
import dev.plinth.id.core.NamespaceDefinition.Dense;
import dev.plinth.id.core.NamespaceDefinition.Numbers;
import dev.plinth.id.core.NamespaceDefinition.Ranges;
import dev.plinth.id.core.NamespaceDefinition.Snowflake;
import dev.plinth.id.core.SnowflakeBitLayout;
import dev.plinth.id.v1.Format;
import dev.plinth.id.v1.Order;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Definitions, checked and filled in, and back. */
final class DefinitionWire {
  private static final String PATH = "definition.";
  private static final long MAX_RANGE = 1_000_000_000;
  private static final int MAX_STEP = 1_000_000;
  private static final long EPOCH_2025 = 1_735_689_600_000L;
  private static final long LATEST_EPOCH = 4_102_444_800_000L; // the year 2100
  private static final SnowflakeBitLayout DEFAULTS =
      new SnowflakeBitLayout(EPOCH_2025, 41, 10, 12, 1);
  private static final SnowflakeBitLayout DEFAULT_53 =
      new SnowflakeBitLayout(EPOCH_2025, 32, 8, 13, 1000);

  private DefinitionWire() {}

  static NamespaceDefinition definition(dev.plinth.id.v1.Definition wire) {
    return switch (wire.getFormat()) {
      case FORMAT_DENSE -> dense(wire);
      case FORMAT_SNOWFLAKE -> snowflake(wire, 63);
      case FORMAT_SNOWFLAKE_53 -> snowflake(wire, 53);
      default ->
          throw Failure.Invalid.field(
              PATH + "format", wire.getFormatValue(), "DENSE, SNOWFLAKE or SNOWFLAKE_53");
    };
  }

  private static Dense dense(dev.plinth.id.v1.Definition wire) {
    none("a dense namespace", given(wire, "layout", "worker_ttl", "max_ahead"));
    NamespaceDefinition.Order order =
        switch (wire.getOrder()) {
          case ORDER_UNSPECIFIED, ORDER_PER_CLIENT -> NamespaceDefinition.Order.PER_CLIENT;
          case ORDER_STRICT -> NamespaceDefinition.Order.STRICT;
          default ->
              throw Failure.Invalid.field(
                  PATH + "order", wire.getOrderValue(), "PER_CLIENT or STRICT");
        };
    return new Dense(order, numbers(wire), ranges(wire), maxPerSecond(wire));
  }

  private static Numbers numbers(dev.plinth.id.v1.Definition wire) {
    long start = wire.hasStart() ? between("start", wire.getStart(), 0, Long.MAX_VALUE) : 1;
    long max = orElse(between("max", wire.getMax(), 0, Long.MAX_VALUE), Long.MAX_VALUE);
    int step = FieldChecks.between(PATH + "step", wire.getStep(), 0, MAX_STEP);
    int remainder =
        FieldChecks.between(PATH + "remainder", wire.getRemainder(), 0, Math.max(step, 1) - 1);
    if (start > max) {
      throw Failure.Invalid.field(PATH + "max", max, "at least start, " + start);
    }
    Numbers numbers = new Numbers(start, max, Math.max(step, 1), remainder);
    if (numbers.first() < start || numbers.first() > max) {
      throw Failure.Invalid.field(PATH + "max", max, "room for one id of this step and remainder");
    }
    return numbers;
  }

  private static Ranges ranges(dev.plinth.id.v1.Definition wire) {
    long min = between("min_range", wire.getMinRange(), 0, MAX_RANGE);
    long max = between("max_range", wire.getMaxRange(), 0, MAX_RANGE);
    long least = orElse(min, max == 0 ? 1000 : Math.min(1000, max));
    long most = orElse(max, Math.max(1_000_000, least));
    if (least > most) {
      throw Failure.Invalid.field(PATH + "max_range", max, "at least min_range, " + min);
    }
    Duration ttl =
        duration(
            "range_ttl",
            wire.hasRangeTtl(),
            wire.getRangeTtl(),
            Duration.ofHours(1),
            Duration.ofSeconds(1),
            Duration.ofDays(30));
    long outstanding = between("max_outstanding", wire.getMaxOutstanding(), 0, Long.MAX_VALUE);
    return new Ranges(least, most, ttl, outstanding);
  }

  private static Snowflake snowflake(dev.plinth.id.v1.Definition wire, int bits) {
    none(
        "a namespace of snowflakes",
        given(
            wire,
            "start",
            "max",
            "step",
            "remainder",
            "min_range",
            "max_range",
            "range_ttl",
            "max_outstanding"));
    if (wire.getOrder() != Order.ORDER_UNSPECIFIED && wire.getOrder() != Order.ORDER_PER_CLIENT) {
      throw Failure.Invalid.field(
          PATH + "order", wire.getOrderValue(), "PER_CLIENT for snowflakes");
    }
    return new Snowflake(
        bits,
        wire.hasLayout() ? layout(wire.getLayout(), bits) : bits == 63 ? DEFAULTS : DEFAULT_53,
        duration(
            "worker_ttl",
            wire.hasWorkerTtl(),
            wire.getWorkerTtl(),
            Duration.ofSeconds(30),
            Duration.ofMillis(100),
            Duration.ofHours(1)),
        duration(
            "max_ahead",
            wire.hasMaxAhead(),
            wire.getMaxAhead(),
            Duration.ofSeconds(5),
            Duration.ZERO,
            Duration.ofMinutes(10)),
        maxPerSecond(wire));
  }

  private static SnowflakeBitLayout layout(dev.plinth.id.v1.Layout wire, int bits) {
    String path = PATH + "layout.";
    long epoch = between("layout.epoch_ms", wire.getEpochMs(), 0, LATEST_EPOCH);
    int time = FieldChecks.between(path + "time_bits", wire.getTimeBits(), 20, 46);
    int worker = FieldChecks.between(path + "worker_bits", wire.getWorkerBits(), 0, 16);
    int sequence = FieldChecks.between(path + "sequence_bits", wire.getSequenceBits(), 0, 22);
    int unit = FieldChecks.between(path + "unit_ms", wire.getUnitMs(), 0, 60_000);
    if (time + worker + sequence != bits) {
      throw Failure.Invalid.field(
          PATH + "layout", time + "+" + worker + "+" + sequence + " bits", bits + " bits");
    }
    return new SnowflakeBitLayout(epoch, time, worker, sequence, Math.max(unit, 1));
  }

  private static long maxPerSecond(dev.plinth.id.v1.Definition wire) {
    return between("max_per_second", wire.getMaxPerSecond(), 0, Long.MAX_VALUE);
  }

  private static long between(String field, long value, long least, long most) {
    return FieldChecks.between(PATH + field, value, least, most);
  }

  private static long orElse(long value, long ifZero) {
    return value == 0 ? ifZero : value;
  }

  private static Duration duration(
      String field,
      boolean given,
      com.google.protobuf.Duration value,
      Duration byDefault,
      Duration least,
      Duration most) {
    return FieldChecks.duration(PATH + field, given ? value : null, byDefault, least, most);
  }

  /** Those of the fields that say something. */
  private static Map<String, Object> given(dev.plinth.id.v1.Definition wire, String... fields) {
    Map<String, Object> given = new LinkedHashMap<>();
    wire.getAllFields()
        .forEach(
            (field, value) -> {
              if (List.of(fields).contains(field.getName())) {
                given.put(field.getName(), value);
              }
            });
    return given;
  }

  private static void none(String of, Map<String, Object> given) {
    given.forEach(
        (field, value) -> {
          throw Failure.Invalid.field(
              PATH + field, String.valueOf(value).strip(), "none, for " + of);
        });
  }

  /** With everything that was left open filled in. */
  static dev.plinth.id.v1.Definition definition(NamespaceDefinition namespaceDefinition) {
    var wire = dev.plinth.id.v1.Definition.newBuilder();
    wire.setMaxPerSecond(namespaceDefinition.maxPerSecond());
    if (namespaceDefinition instanceof Dense dense) {
      boolean strict = dense.order() == NamespaceDefinition.Order.STRICT;
      wire.setFormat(Format.FORMAT_DENSE)
          .setOrder(strict ? Order.ORDER_STRICT : Order.ORDER_PER_CLIENT)
          .setStart(dense.numbers().start())
          .setMax(dense.numbers().max())
          .setStep(dense.numbers().step())
          .setRemainder(dense.numbers().remainder())
          .setMinRange(dense.ranges().min())
          .setMaxRange(dense.ranges().max())
          .setRangeTtl(IdWire.duration(dense.ranges().ttl()))
          .setMaxOutstanding(dense.ranges().maxOutstanding());
    } else if (namespaceDefinition instanceof Snowflake snowflake) {
      boolean js = snowflake.bits() == 53;
      wire.setFormat(js ? Format.FORMAT_SNOWFLAKE_53 : Format.FORMAT_SNOWFLAKE)
          .setOrder(Order.ORDER_PER_CLIENT)
          .setLayout(layout(snowflake.snowflakeBitLayout()))
          .setWorkerTtl(IdWire.duration(snowflake.workerTtl()))
          .setMaxAhead(IdWire.duration(snowflake.maxAhead()));
    }
    return wire.build();
  }

  static dev.plinth.id.v1.Layout layout(SnowflakeBitLayout snowflakeBitLayout) {
    return dev.plinth.id.v1.Layout.newBuilder()
        .setEpochMs(snowflakeBitLayout.epochMs())
        .setTimeBits(snowflakeBitLayout.timeBits())
        .setWorkerBits(snowflakeBitLayout.workerBits())
        .setSequenceBits(snowflakeBitLayout.sequenceBits())
        .setUnitMs(snowflakeBitLayout.unitMs())
        .build();
  }
}
