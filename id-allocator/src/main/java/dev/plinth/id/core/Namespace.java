package dev.plinth.id.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.id.core.NamespaceDefinition.Dense;
import dev.plinth.id.core.NamespaceDefinition.Snowflake;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Tx;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

/** One sequence of ids: a counter, or worker ids with times. */
abstract sealed class Namespace {
  final String name;
  private long version;

  private Namespace(String name, long version) {
    this.name = name;
    this.version = version;
  }

  static Namespace of(
      String name,
      NamespaceDefinition namespaceDefinition,
      long version,
      IdRows.Counter counter,
      InstantSource clock,
      IdEvents events) {
    return namespaceDefinition instanceof Dense dense
        ? new DenseNamespace(name, version, new Sequence(name, dense, counter, events))
        : new SnowflakeNamespace(name, version, (Snowflake) namespaceDefinition, clock, events);
  }

  long version() {
    return version;
  }

  /** Replaces the definition where it may be replaced. */
  final void define(NamespaceDefinition next, Tx tx) {
    accept(next);
    version++;
    IdRows.put(name, next, version, tx);
  }

  abstract NamespaceDefinition definition();

  /** Refuses what is fixed, naming the first such field. */
  abstract void accept(NamespaceDefinition next);

  abstract Allocation<AllocatedIds> allocate(int count, Tx tx);

  abstract ParsedId parse(long id);

  abstract double rate(Tx tx);

  abstract IdNamespaceStatus.Progress progress(Tx tx);

  abstract void uncount();

  Sequence sequence() {
    throw wrongFormat(name, "is of snowflakes", "Allocate and the calls for workers");
  }

  /** Tells the latest time that ids made by an earlier owner can have. */
  void minted(long ms) {
    throw wrongFormat(name, "is dense", "no time in ids");
  }

  WorkerIds workers() {
    throw wrongFormat(name, "is dense", "Allocate and the calls for ranges");
  }

  final IdNamespaceStatus status(Tx tx) {
    return new IdNamespaceStatus(name, definition(), version, rate(tx), progress(tx));
  }

  static Failure wrongFormat(String name, String what, String instead) {
    return new Failure.Forbidden(
        ErrorReason.ERROR_REASON_WRONG_FORMAT,
        "namespace " + name,
        "namespace " + name + " " + what + " (expected: " + instead + ")",
        Map.of("namespace", name));
  }

  /** A part of the definition as it is and as it was asked for. */
  private record Part(String field, Object is, Object asked) {}

  final void refuseChanges(List<Part> parts) {
    for (Part part : parts) {
      if (!part.is.equals(part.asked)) {
        String field = "definition." + part.field;
        throw new Failure.Forbidden(
            ErrorReason.ERROR_REASON_DEFINITION_FIXED,
            "namespace " + name,
            "%s: %s (expected: %s, which is fixed by now)".formatted(field, part.asked, part.is),
            Map.of("namespace", name, "field", field));
      }
    }
  }

  /** A dense one. */
  static final class DenseNamespace extends Namespace {
    private final Sequence sequence;

    private DenseNamespace(String name, long version, Sequence sequence) {
      super(name, version);
      this.sequence = sequence;
    }

    @Override
    NamespaceDefinition definition() {
      return sequence.definition();
    }

    @Override
    void accept(NamespaceDefinition asked) {
      Dense is = sequence.definition();
      if (!(asked instanceof Dense next)) {
        refuseChanges(List.of(new Part("format", "dense", "snowflake")));
        return;
      }
      if (sequence.isUsed()) {
        NamespaceDefinition.Numbers was = is.numbers();
        NamespaceDefinition.Numbers to = next.numbers();
        refuseChanges(
            List.of(
                new Part("order", is.order(), next.order()),
                new Part("start", was.start(), to.start()),
                new Part("step", was.step(), to.step()),
                new Part("remainder", was.remainder(), to.remainder()),
                new Part("max", Math.max(was.max(), to.max()), to.max())));
      }
      sequence.definition(next);
    }

    @Override
    Allocation<AllocatedIds> allocate(int count, Tx tx) {
      return sequence.allocate(count, tx);
    }

    @Override
    Sequence sequence() {
      return sequence;
    }

    @Override
    ParsedId parse(long id) {
      return sequence.parse(id);
    }

    @Override
    double rate(Tx tx) {
      return sequence.rate(tx);
    }

    @Override
    IdNamespaceStatus.Progress progress(Tx tx) {
      return sequence.progress(tx);
    }

    @Override
    void uncount() {
      sequence.uncount();
    }
  }

  /** One of snowflakes. */
  static final class SnowflakeNamespace extends Namespace {
    private final WorkerIds workerIds;
    private final SnowflakeAllocator snowflakeAllocator;

    private SnowflakeNamespace(
        String name, long version, Snowflake definition, InstantSource clock, IdEvents events) {
      super(name, version);
      workerIds = new WorkerIds(name, definition, clock, events);
      snowflakeAllocator = new SnowflakeAllocator(name, workerIds, events);
    }

    @Override
    NamespaceDefinition definition() {
      return workerIds.definition();
    }

    @Override
    void accept(NamespaceDefinition asked) {
      Snowflake is = workerIds.definition();
      int bits = asked instanceof Snowflake next ? next.bits() : 0;
      refuseChanges(List.of(new Part("format", form(is.bits()), form(bits))));
      Snowflake next = (Snowflake) asked;
      if (workerIds.isUsed()) {
        refuseChanges(
            List.of(new Part("layout", is.snowflakeBitLayout(), next.snowflakeBitLayout())));
      }
      workerIds.definition(next);
    }

    private static String form(int bits) {
      return bits == 0 ? "dense" : "snowflake of " + bits + " bits";
    }

    @Override
    Allocation<AllocatedIds> allocate(int count, Tx tx) {
      return snowflakeAllocator.allocate(count, tx);
    }

    @Override
    void minted(long ms) {
      snowflakeAllocator.restore(ms);
    }

    @Override
    WorkerIds workers() {
      return workerIds;
    }

    @Override
    ParsedId parse(long id) {
      SnowflakeBitLayout snowflakeBitLayout = workerIds.definition().snowflakeBitLayout();
      long time = snowflakeBitLayout.timeOf(id);
      int worker = snowflakeBitLayout.workerOf(id);
      boolean issued =
          time <= snowflakeBitLayout.horizonMs() && workerIds.mayHaveMade(worker, time);
      return new ParsedId.SnowflakeParts(
          id, time, worker, snowflakeBitLayout.sequenceOf(id), issued);
    }

    @Override
    double rate(Tx tx) {
      return snowflakeAllocator.rate(tx);
    }

    @Override
    IdNamespaceStatus.Progress progress(Tx tx) {
      return new IdNamespaceStatus.SnowflakeProgress(
          workerIds.inUse(), workerIds.definition().snowflakeBitLayout().workers());
    }

    @Override
    void uncount() {
      workerIds.uncount();
    }
  }
}
