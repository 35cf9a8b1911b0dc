package dev.plinth.id.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.id.core.Definition.Snowflake;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Tx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Makes snowflake ids in the server, with a worker id that it leases as anybody does. Time in ids
 * never falls, over changes of the owner neither: where the clock is behind, or more is asked for
 * than a unit holds, it runs ahead, within bounds.
 */
final class Minter {
  private final String name;
  private final Workers workers;
  private final IdEvents events;
  private final Pace pace = new Pace();
  private final Throttle throttle = new Throttle();
  private Slot slot;
  private long epoch;
  private long lastUnit;
  private long lastSequence;
  // No id had a later time before this owner, or under a worker id that this one let go.
  private long mintedMs = Long.MIN_VALUE;

  Minter(String name, Workers workers, IdEvents events) {
    this.name = name;
    this.workers = workers;
    this.events = events;
  }

  /** As the last owner left it: ids go on above all that it can have given out. */
  void restore(long minted) {
    mintedMs = minted;
  }

  Grant<Ids> allocate(int count, boolean remember, Tx tx) {
    Snowflake definition = workers.definition();
    Layout layout = definition.layout();
    checkFits(count, definition);
    boolean held = slot != null && slot.isHeldIn(epoch);
    Slot using = held ? slot : anotherSlot(tx);
    long now = workers.now();
    long lowest = held ? lastUnit : layout.unit(Math.max(using.ceiling, mintedMs)) + 1;
    long unit = Math.max(Math.max(layout.unit(now), lowest), 0);
    long sequence = held && unit == lastUnit ? lastSequence + 1 : 0;
    long end = sequence + count - 1;
    long endUnit = unit + end / layout.perUnit();
    long endTime = layout.time(endUnit);
    checkAhead(endTime, now, definition);
    throttle.take(name, count, definition.maxPerSecond(), tx.nanos());

    // Short: the next owner starts at the ceiling, which should be within max_ahead of its clock.
    long window = Math.max(definition.maxAhead().toMillis() / 2, 2L * layout.unitMs());
    long ceiling =
        Math.min(workers.ceilingOver(Math.max(now, endTime), window), layout.horizonMs());
    if (!held) {
      workers.grant(using, Namespaces.SERVER, ceiling, tx);
      slot = using;
      epoch = using.epoch;
      mark(using.ceiling, tx);
    } else {
      workers.touch(using, tx);
      if (using.ceiling - Math.max(now, endTime) < window / 2) {
        workers.raise(using, ceiling, tx);
        mark(using.ceiling, tx);
      } else if (remember) {
        using.write(name, tx);
      }
    }
    if (remember && tx.writes() == 0) {
      using.write(name, tx); // it could not be raised any more
    }
    lastUnit = endUnit;
    lastSequence = end % layout.perUnit();
    pace.count(count, tx.nanos());
    events.allocated(count);
    boolean ready = layout.time(endUnit) <= using.durable;
    if (!ready || remember) {
      events.waited();
    }
    return new Grant<>(new Ids(ids(layout, unit, sequence, count), 0, count, 0), ready);
  }

  /** Written with the slot's ceiling, which no id passes before it is durable. */
  private void mark(long ms, Tx tx) {
    if (ms > mintedMs) {
      mintedMs = ms;
      Rows.putMinted(name, ms, tx);
    }
  }

  private Slot anotherSlot(Tx tx) {
    Optional<Slot> next = workers.next();
    return next.orElseThrow(
        () ->
            new Failure.Exhausted(
                ErrorReason.ERROR_REASON_QUOTA_EXCEEDED,
                "worker ids of namespace " + name,
                "all worker ids of namespace " + name + " are out",
                workers.earliestFree(tx)));
  }

  private static void checkFits(int count, Snowflake definition) {
    long units = 1 + definition.maxAhead().toMillis() / definition.layout().unitMs();
    long most = units * definition.layout().perUnit();
    if (count > most) {
      throw Failure.Invalid.field("count", count, "at most " + most + ", by layout and max_ahead");
    }
  }

  private void checkAhead(long endTime, long now, Snowflake definition) {
    if (endTime > definition.layout().horizonMs()) {
      throw workers.pastHorizon();
    }
    long tooFar = endTime - now - definition.maxAhead().toMillis();
    if (tooFar > 0) {
      throw new Failure.Exhausted(
          ErrorReason.ERROR_REASON_RATE_EXCEEDED,
          "time in ids of namespace " + name,
          "ids of namespace " + name + " would run ahead of the clock by more than max_ahead",
          Duration.ofMillis(tooFar));
    }
  }

  private List<Long> ids(Layout layout, long unit, long sequence, int count) {
    List<Long> ids = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      long place = sequence + i;
      ids.add(layout.id(unit + place / layout.perUnit(), slot.worker, place % layout.perUnit()));
    }
    return ids;
  }

  double rate(Tx tx) {
    return pace.perSecond(tx.nanos());
  }
}
