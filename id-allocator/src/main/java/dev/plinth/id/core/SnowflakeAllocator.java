package dev.plinth.id.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.id.core.NamespaceDefinition.Snowflake;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Throttle;
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
final class SnowflakeAllocator {
  private final String name;
  private final WorkerIds workerIds;
  private final IdEvents events;
  private final RateEstimator rateEstimator = new RateEstimator();
  private final Throttle throttle;
  private WorkerSlot workerSlot;
  private long epoch;
  private long lastUnit;
  private long lastSequence;
  // No id had a later time before this owner, or under a worker id that this one let go.
  private long mintedMs = Long.MIN_VALUE;

  SnowflakeAllocator(String name, WorkerIds workerIds, IdEvents events) {
    this.name = name;
    this.workerIds = workerIds;
    this.events = events;
    this.throttle = new Throttle("ids", name);
  }

  /** As the last owner left it: ids go on above all that it can have given out. */
  void restore(long minted) {
    mintedMs = minted;
  }

  Allocation<AllocatedIds> allocate(int count, Tx tx) {
    Snowflake definition = workerIds.definition();
    SnowflakeBitLayout snowflakeBitLayout = definition.snowflakeBitLayout();
    checkFits(count, definition);
    boolean held = workerSlot != null && workerSlot.isHeldIn(epoch);
    WorkerSlot using = held ? workerSlot : anotherSlot(tx);
    long now = workerIds.now();
    long lowest = held ? lastUnit : snowflakeBitLayout.unit(Math.max(using.ceiling, mintedMs)) + 1;
    long unit = Math.max(Math.max(snowflakeBitLayout.unit(now), lowest), 0);
    long sequence = held && unit == lastUnit ? lastSequence + 1 : 0;
    long end = sequence + count - 1;
    long endUnit = unit + end / snowflakeBitLayout.perUnit();
    long endTime = snowflakeBitLayout.time(endUnit);
    checkAhead(endTime, now, definition);
    if (definition.maxPerSecond() > 0) {
      throttle.take(count, definition.maxPerSecond(), tx.nanos());
    }

    // Short: the next owner starts at the ceiling, which should be within max_ahead of its clock.
    long window = Math.max(definition.maxAhead().toMillis() / 2, 2L * snowflakeBitLayout.unitMs());
    long ceiling =
        Math.min(
            workerIds.ceilingOver(Math.max(now, endTime), window), snowflakeBitLayout.horizonMs());
    if (!held) {
      workerIds.grant(using, Namespaces.SERVER, ceiling, tx);
      workerSlot = using;
      epoch = using.epoch;
      mark(using.ceiling, tx);
    } else {
      workerIds.touch(using, tx);
      if (using.ceiling - Math.max(now, endTime) < window / 2) {
        workerIds.raise(using, ceiling, tx);
        mark(using.ceiling, tx);
      }
    }
    lastUnit = endUnit;
    lastSequence = end % snowflakeBitLayout.perUnit();
    rateEstimator.count(count, tx.nanos());
    events.allocated(count);
    boolean ready = snowflakeBitLayout.time(endUnit) <= using.durable;
    if (!ready) {
      events.waited();
    }
    return new Allocation<>(
        new AllocatedIds(ids(snowflakeBitLayout, unit, sequence, count), 0, count, 0), ready);
  }

  /** Written with the slot's ceiling, which no id passes before it is durable. */
  private void mark(long ms, Tx tx) {
    if (ms > mintedMs) {
      mintedMs = ms;
      IdRows.putMinted(name, ms, tx);
    }
  }

  private WorkerSlot anotherSlot(Tx tx) {
    Optional<WorkerSlot> next = workerIds.next();
    return next.orElseThrow(
        () ->
            new Failure.Exhausted(
                ErrorReason.ERROR_REASON_QUOTA_EXCEEDED,
                "worker ids of namespace " + name,
                "all worker ids of namespace " + name + " are out",
                workerIds.earliestFree(tx)));
  }

  private static void checkFits(int count, Snowflake definition) {
    long units = 1 + definition.maxAhead().toMillis() / definition.snowflakeBitLayout().unitMs();
    long most = units * definition.snowflakeBitLayout().perUnit();
    if (count > most) {
      throw Failure.Invalid.field("count", count, "at most " + most + ", by layout and max_ahead");
    }
  }

  private void checkAhead(long endTime, long now, Snowflake definition) {
    if (endTime > definition.snowflakeBitLayout().horizonMs()) {
      throw workerIds.pastHorizon();
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

  private List<Long> ids(
      SnowflakeBitLayout snowflakeBitLayout, long unit, long sequence, int count) {
    List<Long> ids = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      long place = sequence + i;
      ids.add(
          snowflakeBitLayout.id(
              unit + place / snowflakeBitLayout.perUnit(),
              workerSlot.worker,
              place % snowflakeBitLayout.perUnit()));
    }
    return ids;
  }

  double rate(Tx tx) {
    return rateEstimator.perSecond(tx.nanos());
  }
}
