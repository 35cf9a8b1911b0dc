package dev.plinth.id.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.id.core.NamespaceDefinition.Snowflake;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Tx;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The worker ids of a namespace. A holder may use the times above its floor and up to its ceiling,
 * which is in the store before it hears of it; the next holder's floor is that ceiling. So no time
 * is ever given twice for one worker, whatever any clock says. Clocks only choose where windows lie
 * and when a silent holder's worker id is free again.
 */
final class WorkerIds {
  private final String name;
  private final InstantSource clock;
  private final IdEvents events;
  private final Map<Integer, WorkerSlot> used = new TreeMap<>();
  private final TreeSet<WorkerSlot> free = new TreeSet<>(WorkerSlot.LOWEST_FIRST);
  private Snowflake definition;
  private int inUse;

  WorkerIds(String name, Snowflake definition, InstantSource clock, IdEvents events) {
    this.name = name;
    this.definition = definition;
    this.clock = clock;
    this.events = events;
  }

  /** As the last owner left it: who held it has its full time again. */
  void restore(int worker, IdRows.Worker row, Tx tx) {
    WorkerSlot workerSlot = new WorkerSlot(worker, row.ceilingMs());
    workerSlot.epoch = row.epoch();
    workerSlot.owner = row.owner();
    workerSlot.floor = row.floorMs();
    used.put(worker, workerSlot);
    // The server that held it is this one now, or can do nothing more.
    if (row.owner().isEmpty() || row.owner().equals(Namespaces.SERVER)) {
      free.add(workerSlot);
    } else {
      hold(workerSlot, tx);
    }
  }

  Snowflake definition() {
    return definition;
  }

  void definition(Snowflake next) {
    definition = next;
  }

  boolean isUsed() {
    return !used.isEmpty();
  }

  int inUse() {
    return inUse;
  }

  long now() {
    return clock.millis();
  }

  LeaseWorkerResult lease(String owner, Tx tx) {
    Optional<WorkerSlot> slot = next();
    if (slot.isEmpty()) {
      return new LeaseWorkerResult.Exhausted(earliestFree(tx));
    }
    long ceiling = ceilingOver(Math.max(now(), slot.get().ceiling), window());
    if (ceiling > definition.snowflakeBitLayout().horizonMs()) {
      throw pastHorizon();
    }
    grant(slot.get(), owner, ceiling, tx);
    return new LeaseWorkerResult.Leased(view(slot.get()));
  }

  /** Twice as long as a holder may be silent, or run ahead: half of it is always left. */
  private long window() {
    Duration longer =
        definition.workerTtl().compareTo(definition.maxAhead()) > 0
            ? definition.workerTtl()
            : definition.maxAhead();
    return 2 * longer.toMillis();
  }

  /** The slot to grant next, not granted yet. */
  Optional<WorkerSlot> next() {
    int fresh = used.size();
    if (fresh < definition.snowflakeBitLayout().workers()) {
      return Optional.of(new WorkerSlot(fresh, definition.snowflakeBitLayout().epochMs() - 1));
    }
    return free.isEmpty() ? Optional.empty() : Optional.of(free.first());
  }

  long ceilingOver(long ms, long window) {
    return definition.snowflakeBitLayout().endOfUnit(ms + window);
  }

  void grant(WorkerSlot workerSlot, String owner, long ceiling, Tx tx) {
    if (now() < workerSlot.ceiling) {
      events.clockBehind();
    }
    free.remove(workerSlot);
    used.put(workerSlot.worker, workerSlot);
    workerSlot.epoch++;
    workerSlot.owner = owner;
    workerSlot.floor = workerSlot.ceiling;
    workerSlot.durable = workerSlot.ceiling;
    workerSlot.ceiling = ceiling;
    workerSlot.write(name, tx);
    hold(workerSlot, tx);
  }

  private void hold(WorkerSlot workerSlot, Tx tx) {
    inUse++;
    events.workers(1);
    workerSlot.deadline = tx.nanos() + definition.workerTtl().toNanos();
    workerSlot.expiry = tx.at(workerSlot.deadline, later -> endIfDue(workerSlot, later));
  }

  private void endIfDue(WorkerSlot workerSlot, Tx tx) {
    if (workerSlot.deadline - tx.nanos() > 0) {
      workerSlot.expiry = tx.at(workerSlot.deadline, later -> endIfDue(workerSlot, later));
    } else {
      end(workerSlot);
    }
  }

  private void end(WorkerSlot workerSlot) {
    workerSlot.expiry.cancel();
    workerSlot.expiry = null;
    free.add(workerSlot);
    inUse--;
    events.workers(-1);
  }

  /** Its full time counts from now; the ceiling rises by a commit when half of it is used. */
  Allocation<Optional<WorkerView>> renew(int worker, long epoch, Tx tx) {
    WorkerSlot workerSlot = used.get(worker);
    if (workerSlot == null || !workerSlot.isHeldIn(epoch)) {
      return new Allocation<>(Optional.empty(), false);
    }
    touch(workerSlot, tx);
    if (workerSlot.ceiling - now() < window() / 2) {
      raise(workerSlot, ceilingOver(Math.max(now(), workerSlot.floor), window()), tx);
    }
    return new Allocation<>(
        Optional.of(view(workerSlot)), workerSlot.ceiling == workerSlot.durable);
  }

  void touch(WorkerSlot workerSlot, Tx tx) {
    workerSlot.deadline = tx.nanos() + definition.workerTtl().toNanos();
  }

  void raise(WorkerSlot workerSlot, long ceiling, Tx tx) {
    long next = Math.min(ceiling, definition.snowflakeBitLayout().horizonMs());
    if (next > workerSlot.ceiling) {
      workerSlot.ceiling = next;
      workerSlot.write(name, tx);
    }
  }

  /**
   * Free at once.
   *
   * @param lastUsedMs the highest time that one of its ids carries, or 0 if that is not known
   */
  boolean release(int worker, long epoch, long lastUsedMs, Tx tx) {
    WorkerSlot workerSlot = used.get(worker);
    if (workerSlot == null || !workerSlot.isHeldIn(epoch)) {
      return false;
    }
    if (lastUsedMs > workerSlot.ceiling) {
      throw Failure.Invalid.field(
          "last_used_ms", lastUsedMs, "at most the ceiling, " + workerSlot.ceiling);
    }
    if (lastUsedMs != 0) {
      // Not below its own floor: those times were another's.
      workerSlot.ceiling =
          Math.max(workerSlot.floor, definition.snowflakeBitLayout().endOfUnit(lastUsedMs));
    }
    workerSlot.owner = "";
    workerSlot.write(name, tx);
    end(workerSlot);
    return true;
  }

  Duration earliestFree(Tx tx) {
    long first =
        used.values().stream()
            .filter(WorkerSlot::isHeld)
            .mapToLong(s -> s.deadline)
            .min()
            .orElseThrow();
    return Duration.ofNanos(Math.max(0, first - tx.nanos()));
  }

  Failure pastHorizon() {
    return new Failure.Exhausted(
        ErrorReason.ERROR_REASON_SEQUENCE_EXHAUSTED,
        "namespace " + name,
        "the time bits of namespace "
            + name
            + " end at "
            + definition.snowflakeBitLayout().horizonMs()
            + " ms",
        Duration.ofHours(1));
  }

  /** Whether a worker can have made an id with this time by now. */
  boolean mayHaveMade(int worker, long timeMs) {
    WorkerSlot workerSlot = used.get(worker);
    return workerSlot != null && timeMs <= workerSlot.ceiling;
  }

  private WorkerView view(WorkerSlot workerSlot) {
    return new WorkerView(
        workerSlot.worker,
        workerSlot.epoch,
        workerSlot.floor,
        workerSlot.ceiling,
        definition.workerTtl(),
        definition.snowflakeBitLayout(),
        definition.maxAhead());
  }

  void uncount() {
    events.workers(-inUse);
  }
}
