package dev.plinth.id.grpc;

import dev.plinth.id.core.NamespaceDefinition;
import dev.plinth.id.core.NamespaceDefinition.Dense;
import dev.plinth.id.core.NamespaceDefinition.Numbers;
import dev.plinth.id.core.NamespaceDefinition.Ranges;
import dev.plinth.id.core.NamespaceDefinition.Snowflake;
import dev.plinth.id.core.SnowflakeBitLayout;
import dev.plinth.id.v1.Definition;
import dev.plinth.id.v1.Format;
import dev.plinth.id.v1.Layout;
import dev.plinth.id.v1.Order;
import dev.plinth.server.call.MessageFields;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.Set;

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

  private static final Set<String> OF_SNOWFLAKES = Set.of("layout", "worker_ttl", "max_ahead");
  private static final Set<String> OF_DENSE =
      Set.of(
          "start",
          "max",
          "step",
          "remainder",
          "min_range",
          "max_range",
          "range_ttl",
          "max_outstanding");

  private DefinitionWire() {}

  static NamespaceDefinition definition(Definition wire) {
    MessageFields fields = new MessageFields(wire, PATH);
    return switch (wire.getFormat()) {
      case FORMAT_DENSE -> dense(wire, fields);
      case FORMAT_SNOWFLAKE -> snowflake(wire, 63, fields);
      case FORMAT_SNOWFLAKE_53 -> snowflake(wire, 53, fields);
      default ->
          throw Failure.Invalid.field(
              PATH + "format", wire.getFormatValue(), "DENSE, SNOWFLAKE or SNOWFLAKE_53");
    };
  }

  private static Dense dense(Definition wire, MessageFields fields) {
    refuseGiven(wire, "a dense namespace", OF_SNOWFLAKES);
    NamespaceDefinition.Order order =
        switch (wire.getOrder()) {
          case ORDER_UNSPECIFIED, ORDER_PER_CLIENT -> NamespaceDefinition.Order.PER_CLIENT;
          case ORDER_STRICT -> NamespaceDefinition.Order.STRICT;
          default ->
              throw Failure.Invalid.field(
                  PATH + "order", wire.getOrderValue(), "PER_CLIENT or STRICT");
        };
    return new Dense(order, numbers(wire, fields), ranges(fields), maxPerSecond(fields));
  }

  private static Numbers numbers(Definition wire, MessageFields fields) {
    long start = wire.hasStart() ? fields.between("start", 0, Long.MAX_VALUE) : 1;
    long max = orElse(fields.between("max", 0, Long.MAX_VALUE), Long.MAX_VALUE);
    int step = fields.between("step", 0, MAX_STEP);
    int remainder = fields.between("remainder", 0, Math.max(step, 1) - 1);
    if (start > max) {
      throw Failure.Invalid.field(PATH + "max", max, "at least start, " + start);
    }
    Numbers numbers = new Numbers(start, max, Math.max(step, 1), remainder);
    if (numbers.first() < start || numbers.first() > max) {
      throw Failure.Invalid.field(PATH + "max", max, "room for one id of this step and remainder");
    }
    return numbers;
  }

  private static Ranges ranges(MessageFields fields) {
    long min = fields.between("min_range", 0, MAX_RANGE);
    long max = fields.between("max_range", 0, MAX_RANGE);
    long least = orElse(min, max == 0 ? 1000 : Math.min(1000, max));
    long most = orElse(max, Math.max(1_000_000, least));
    if (least > most) {
      throw Failure.Invalid.field(PATH + "max_range", max, "at least min_range, " + min);
    }
    Duration ttl =
        fields.duration(
            "range_ttl", Duration.ofHours(1), Duration.ofSeconds(1), Duration.ofDays(30));
    return new Ranges(least, most, ttl, fields.between("max_outstanding", 0, Long.MAX_VALUE));
  }

  private static Snowflake snowflake(Definition wire, int bits, MessageFields fields) {
    refuseGiven(wire, "a namespace of snowflakes", OF_DENSE);
    if (wire.getOrder() != Order.ORDER_UNSPECIFIED && wire.getOrder() != Order.ORDER_PER_CLIENT) {
      throw Failure.Invalid.field(
          PATH + "order", wire.getOrderValue(), "PER_CLIENT for snowflakes");
    }
    return new Snowflake(
        bits,
        wire.hasLayout() ? layout(wire.getLayout(), bits) : bits == 63 ? DEFAULTS : DEFAULT_53,
        fields.duration(
            "worker_ttl", Duration.ofSeconds(30), Duration.ofMillis(100), Duration.ofHours(1)),
        fields.duration("max_ahead", Duration.ofSeconds(5), Duration.ZERO, Duration.ofMinutes(10)),
        maxPerSecond(fields));
  }

  private static SnowflakeBitLayout layout(Layout wire, int bits) {
    MessageFields fields = new MessageFields(wire, PATH + "layout.");
    long epoch = fields.between("epoch_ms", 0, LATEST_EPOCH);
    int time = fields.between("time_bits", 20, 46);
    int worker = fields.between("worker_bits", 0, 16);
    int sequence = fields.between("sequence_bits", 0, 22);
    int unit = fields.between("unit_ms", 0, 60_000);
    if (time + worker + sequence != bits) {
      throw Failure.Invalid.field(
          PATH + "layout", time + "+" + worker + "+" + sequence + " bits", bits + " bits");
    }
    return new SnowflakeBitLayout(epoch, time, worker, sequence, Math.max(unit, 1));
  }

  private static long maxPerSecond(MessageFields fields) {
    return fields.between("max_per_second", 0, Long.MAX_VALUE);
  }

  private static long orElse(long value, long ifZero) {
    return value == 0 ? ifZero : value;
  }

  /** Refuses fields that mean nothing for this kind of namespace. */
  private static void refuseGiven(Definition wire, String kind, Set<String> fields) {
    wire.getAllFields()
        .forEach(
            (field, value) -> {
              if (fields.contains(field.getName())) {
                throw Failure.Invalid.field(
                    PATH + field.getName(), String.valueOf(value).strip(), "none, for " + kind);
              }
            });
  }

  /** With everything that was left open filled in. */
  static Definition definition(NamespaceDefinition namespaceDefinition) {
    Definition.Builder wire = Definition.newBuilder();
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

  static Layout layout(SnowflakeBitLayout snowflakeBitLayout) {
    return Layout.newBuilder()
        .setEpochMs(snowflakeBitLayout.epochMs())
        .setTimeBits(snowflakeBitLayout.timeBits())
        .setWorkerBits(snowflakeBitLayout.workerBits())
        .setSequenceBits(snowflakeBitLayout.sequenceBits())
        .setUnitMs(snowflakeBitLayout.unitMs())
        .build();
  }
}
