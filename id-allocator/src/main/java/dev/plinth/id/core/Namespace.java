package dev.plinth.id.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.id.core.Definition.Dense;
import dev.plinth.id.core.Definition.Snowflake;
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
      Definition definition,
      long version,
      Rows.Counter counter,
      InstantSource clock,
      IdEvents events) {
    return definition instanceof Dense dense
        ? new Counted(name, version, new Sequence(name, dense, counter, events))
        : new Worked(name, version, (Snowflake) definition, clock, events);
  }

  long version() {
    return version;
  }

  /** Replaces the definition where it may be replaced. */
  final void define(Definition next, Tx tx) {
    accept(next);
    version++;
    Rows.put(name, next, version, tx);
  }

  abstract Definition definition();

  /** Refuses what is fixed, naming the first such field. */
  abstract void accept(Definition next);

  abstract Grant<Ids> allocate(int count, boolean remember, Tx tx);

  abstract Parsed parse(long id);

  abstract double rate(Tx tx);

  abstract Status.Progress progress(Tx tx);

  abstract void uncount();

  Sequence sequence() {
    throw wrongFormat(name, "is of snowflakes", "Allocate and the calls for workers");
  }

  /** Tells the latest time that ids made by an earlier owner can have. */
  void minted(long ms) {
    throw wrongFormat(name, "is dense", "no time in ids");
  }

  Workers workers() {
    throw wrongFormat(name, "is dense", "Allocate and the calls for ranges");
  }

  final Status status(Tx tx) {
    return new Status(name, definition(), version, rate(tx), progress(tx));
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
  static final class Counted extends Namespace {
    private final Sequence sequence;

    private Counted(String name, long version, Sequence sequence) {
      super(name, version);
      this.sequence = sequence;
    }

    @Override
    Definition definition() {
      return sequence.definition();
    }

    @Override
    void accept(Definition asked) {
      Dense is = sequence.definition();
      if (!(asked instanceof Dense next)) {
        refuseChanges(List.of(new Part("format", "dense", "snowflake")));
        return;
      }
      if (sequence.isUsed()) {
        Definition.Numbers was = is.numbers();
        Definition.Numbers to = next.numbers();
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
    Grant<Ids> allocate(int count, boolean remember, Tx tx) {
      return sequence.allocate(count, remember, tx);
    }

    @Override
    Sequence sequence() {
      return sequence;
    }

    @Override
    Parsed parse(long id) {
      return sequence.parse(id);
    }

    @Override
    double rate(Tx tx) {
      return sequence.rate(tx);
    }

    @Override
    Status.Progress progress(Tx tx) {
      return sequence.progress(tx);
    }

    @Override
    void uncount() {
      sequence.uncount();
    }
  }

  /** One of snowflakes. */
  static final class Worked extends Namespace {
    private final Workers workers;
    private final Minter minter;

    private Worked(
        String name, long version, Snowflake definition, InstantSource clock, IdEvents events) {
      super(name, version);
      workers = new Workers(name, definition, clock, events);
      minter = new Minter(name, workers, events);
    }

    @Override
    Definition definition() {
      return workers.definition();
    }

    @Override
    void accept(Definition asked) {
      Snowflake is = workers.definition();
      int bits = asked instanceof Snowflake next ? next.bits() : 0;
      refuseChanges(List.of(new Part("format", form(is.bits()), form(bits))));
      Snowflake next = (Snowflake) asked;
      if (workers.isUsed()) {
        refuseChanges(List.of(new Part("layout", is.layout(), next.layout())));
      }
      workers.definition(next);
    }

    private static String form(int bits) {
      return bits == 0 ? "dense" : "snowflake of " + bits + " bits";
    }

    @Override
    Grant<Ids> allocate(int count, boolean remember, Tx tx) {
      return minter.allocate(count, remember, tx);
    }

    @Override
    void minted(long ms) {
      minter.restore(ms);
    }

    @Override
    Workers workers() {
      return workers;
    }

    @Override
    Parsed parse(long id) {
      Layout layout = workers.definition().layout();
      long time = layout.timeOf(id);
      int worker = layout.workerOf(id);
      boolean issued = time <= layout.horizonMs() && workers.mayHaveMade(worker, time);
      return new Parsed.Worked(id, time, worker, layout.sequenceOf(id), issued);
    }

    @Override
    double rate(Tx tx) {
      return minter.rate(tx);
    }

    @Override
    Status.Progress progress(Tx tx) {
      return new Status.Worked(workers.inUse(), workers.definition().layout().workers());
    }

    @Override
    void uncount() {
      workers.uncount();
    }
  }
}
