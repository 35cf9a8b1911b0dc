package dev.plinth.id.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.id.core.Definition.Snowflake;
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
final class Workers {
  private final String name;
  private final InstantSource clock;
  private final IdEvents events;
  private final Map<Integer, Slot> used = new TreeMap<>();
  private final TreeSet<Slot> free = new TreeSet<>(Slot.LOWEST_FIRST);
  private Snowflake definition;
  private int inUse;

  Workers(String name, Snowflake definition, InstantSource clock, IdEvents events) {
    this.name = name;
    this.definition = definition;
    this.clock = clock;
    this.events = events;
  }

  /** As the last owner left it: who held it has its full time again. */
  void restore(int worker, Rows.Worker row, Tx tx) {
    Slot slot = new Slot(worker, row.ceilingMs());
    slot.epoch = row.epoch();
    slot.owner = row.owner();
    slot.floor = row.floorMs();
    used.put(worker, slot);
    // The server that held it is this one now, or can do nothing more.
    if (row.owner().isEmpty() || row.owner().equals(Namespaces.SERVER)) {
      free.add(slot);
    } else {
      hold(slot, tx);
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

  LeasedWorker lease(String owner, Tx tx) {
    Optional<Slot> slot = next();
    if (slot.isEmpty()) {
      return new LeasedWorker.Exhausted(earliestFree(tx));
    }
    long ceiling = ceilingOver(Math.max(now(), slot.get().ceiling), window());
    if (ceiling > definition.layout().horizonMs()) {
      throw pastHorizon();
    }
    grant(slot.get(), owner, ceiling, tx);
    return new LeasedWorker.Leased(view(slot.get()));
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
  Optional<Slot> next() {
    int fresh = used.size();
    if (fresh < definition.layout().workers()) {
      return Optional.of(new Slot(fresh, definition.layout().epochMs() - 1));
    }
    return free.isEmpty() ? Optional.empty() : Optional.of(free.first());
  }

  long ceilingOver(long ms, long window) {
    return definition.layout().endOfUnit(ms + window);
  }

  void grant(Slot slot, String owner, long ceiling, Tx tx) {
    if (now() < slot.ceiling) {
      events.clockBehind();
    }
    free.remove(slot);
    used.put(slot.worker, slot);
    slot.epoch++;
    slot.owner = owner;
    slot.floor = slot.ceiling;
    slot.durable = slot.ceiling;
    slot.ceiling = ceiling;
    slot.write(name, tx);
    hold(slot, tx);
  }

  private void hold(Slot slot, Tx tx) {
    inUse++;
    events.workers(1);
    slot.deadline = tx.nanos() + definition.workerTtl().toNanos();
    slot.expiry = tx.at(slot.deadline, later -> endIfDue(slot, later));
  }

  private void endIfDue(Slot slot, Tx tx) {
    if (slot.deadline - tx.nanos() > 0) {
      slot.expiry = tx.at(slot.deadline, later -> endIfDue(slot, later));
    } else {
      end(slot);
    }
  }

  private void end(Slot slot) {
    slot.expiry.cancel();
    slot.expiry = null;
    free.add(slot);
    inUse--;
    events.workers(-1);
  }

  /** Its full time counts from now; the ceiling rises by a commit when half of it is used. */
  Grant<Optional<WorkerView>> renew(int worker, long epoch, Tx tx) {
    Slot slot = used.get(worker);
    if (slot == null || !slot.isHeldIn(epoch)) {
      return new Grant<>(Optional.empty(), false);
    }
    touch(slot, tx);
    if (slot.ceiling - now() < window() / 2) {
      raise(slot, ceilingOver(Math.max(now(), slot.floor), window()), tx);
    }
    return new Grant<>(Optional.of(view(slot)), slot.ceiling == slot.durable);
  }

  void touch(Slot slot, Tx tx) {
    slot.deadline = tx.nanos() + definition.workerTtl().toNanos();
  }

  void raise(Slot slot, long ceiling, Tx tx) {
    long next = Math.min(ceiling, definition.layout().horizonMs());
    if (next > slot.ceiling) {
      slot.ceiling = next;
      slot.write(name, tx);
    }
  }

  /**
   * Free at once.
   *
   * @param lastUsedMs the highest time that one of its ids carries, or 0 if that is not known
   */
  boolean release(int worker, long epoch, long lastUsedMs, Tx tx) {
    Slot slot = used.get(worker);
    if (slot == null || !slot.isHeldIn(epoch)) {
      return false;
    }
    if (lastUsedMs > slot.ceiling) {
      throw Failure.Invalid.field(
          "last_used_ms", lastUsedMs, "at most the ceiling, " + slot.ceiling);
    }
    if (lastUsedMs != 0) {
      // Not below its own floor: those times were another's.
      slot.ceiling = Math.max(slot.floor, definition.layout().endOfUnit(lastUsedMs));
    }
    slot.owner = "";
    slot.write(name, tx);
    end(slot);
    return true;
  }

  Duration earliestFree(Tx tx) {
    long first =
        used.values().stream().filter(Slot::isHeld).mapToLong(s -> s.deadline).min().orElseThrow();
    return Duration.ofNanos(Math.max(0, first - tx.nanos()));
  }

  Failure pastHorizon() {
    return new Failure.Exhausted(
        ErrorReason.ERROR_REASON_SEQUENCE_EXHAUSTED,
        "namespace " + name,
        "the time bits of namespace " + name + " end at " + definition.layout().horizonMs() + " ms",
        Duration.ofHours(1));
  }

  /** Whether a worker can have made an id with this time by now. */
  boolean mayHaveMade(int worker, long timeMs) {
    Slot slot = used.get(worker);
    return slot != null && timeMs <= slot.ceiling;
  }

  private WorkerView view(Slot slot) {
    return new WorkerView(
        slot.worker,
        slot.epoch,
        slot.floor,
        slot.ceiling,
        definition.workerTtl(),
        definition.layout(),
        definition.maxAhead());
  }

  void uncount() {
    events.workers(-inUse);
  }
}
