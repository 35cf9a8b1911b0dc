package dev.plinth.client.id;

import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.id.v1.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Snowflake ids, made here with a worker id that the server leases to this handle and that the
 * event loop renews. {@link #next} makes no call, takes no lock and never blocks.
 *
 * <p><b>Unique</b>: over all handles, clients and restarts. The times in ids lie above the floor
 * and up to the ceiling that the server has granted with the worker id, and it grants no time
 * twice. No clock has a part in it.
 *
 * <p><b>Rising</b>: an id is higher than each one whose {@code next} on this handle had returned
 * before, on whatever thread, and whatever became of the worker id between them. Time in ids never
 * falls; where the clock is behind, or more is asked for than a unit of time holds, it runs ahead
 * of the clock, by the namespace's {@code max_ahead} at most.
 *
 * <p><b>In time</b>: no id after the deadline of the worker id, counted from before its last
 * renewal was sent and less a margin, on the monotonic clock. The clock is read after the id is
 * taken, so a pause before that costs the id.
 *
 * <p>A worker id that is lost is replaced by another one in the background. While there is none,
 * {@code next} fails with {@link IdsUnavailableException}.
 */
public final class SnowflakeIdGenerator implements AutoCloseable {
  private static final long NONE_YET = -1;

  private final String namespace;
  private final ClientRuntime runtime;
  private final ClientIdEvents events;
  private final IdGeneratorGauges gauges;
  private final WorkerLeaseRenewer keeper;
  private final SnowflakeLayout layout;
  // The highest place taken; of a worker id that is lost too, so that ids continue above.
  private final AtomicLong last = new AtomicLong(NONE_YET);
  private final LongAdder made = new LongAdder();
  private volatile WorkerLease lease;
  private boolean closed;

  private SnowflakeIdGenerator(
      String namespace,
      ClientRuntime runtime,
      ClientIdEvents events,
      WorkerLeaseRenewer.FirstLease first) {
    this.namespace = namespace;
    this.runtime = runtime;
    this.events = events;
    this.gauges = new IdGeneratorGauges(namespace, made::sum, this::room, this::ahead);
    this.keeper = new WorkerLeaseRenewer(namespace, runtime, this);
    this.lease = new WorkerLease(first.worker(), first.askedAt(), NONE_YET);
    this.layout = lease.layout();
  }

  static SnowflakeIdGenerator open(String namespace, ClientRuntime runtime, ClientIdEvents events)
      throws InterruptedException {
    SnowflakeIdGenerator ids =
        new SnowflakeIdGenerator(
            namespace, runtime, events, WorkerLeaseRenewer.hire(namespace, runtime));
    runtime.attach(ids);
    events.opened(ids.gauges);
    ids.keeper.keep(ids.lease);
    return ids;
  }

  public String namespace() {
    return namespace;
  }

  /**
   * The next id.
   *
   * @throws IdsUnavailableException if there is no worker id, or its time would run too far ahead
   * @throws IllegalStateException if this or the client is closed
   */
  public long next() {
    while (true) {
      WorkerLease holding = holding();
      long place = take(holding, 1);
      if (place >= 0) {
        made.increment();
        return layout.id(place, holding.worker());
      }
    }
  }

  /**
   * As many ids as the array has room for, rising; all or none.
   *
   * @throws IdsUnavailableException if there is no worker id, or its time would run too far ahead
   */
  public void next(long[] ids) {
    if (ids.length == 0) {
      return;
    }
    while (true) {
      WorkerLease holding = holding();
      long place = take(holding, ids.length);
      if (place >= 0) {
        for (int i = 0; i < ids.length; i++) {
          ids[i] = layout.id(place + i, holding.worker());
        }
        made.add(ids.length);
        return;
      }
    }
  }

  private WorkerLease holding() {
    WorkerLease holding = lease;
    if (holding == null || holding.isOverdue()) {
      throw unavailable(holding);
    }
    return holding;
  }

  /** The first of so many places, or -1 if another look is needed. */
  private long take(WorkerLease holding, int count) {
    WorkerLease.RenewalTerms terms = holding.terms();
    long now = trusted(terms);
    long before = last.get();
    long from = Math.max(before + 1, holding.firstPosition());
    from = Math.max(from, layout.firstPosition(layout.unit(now)));
    long to = from + count - 1;
    requireReach(layout.time(layout.unitOf(to)), terms, now);
    if (!last.compareAndSet(before, to)) {
      return -1;
    }
    // Only now: whoever was paused until here has not got an id yet.
    if (runtime.nanos().getAsLong() - terms.deadline() >= 0) {
      holding.setOverdue(terms);
      return -1;
    }
    return lease == holding ? from : -1;
  }

  /**
   * The wall clock, unless it is so far ahead of the server's that it would leave no room up to the
   * ceiling: then it is wrong, and the window moves on as the server's clock does.
   */
  private long trusted(WorkerLease.RenewalTerms terms) {
    return Math.min(runtime.wall().millis(), terms.ceilingMs() - terms.maxAheadMs());
  }

  private void requireReach(long timeMs, WorkerLease.RenewalTerms terms, long now) {
    if (timeMs > terms.ceilingMs() || timeMs - now > terms.maxAheadMs()) {
      long tooFar = Math.max(timeMs - terms.ceilingMs(), timeMs - now - terms.maxAheadMs());
      throw new IdsUnavailableException(
          "namespace %s: time in ids would be %d ms ahead of the clock (expected: up to %d)"
              .formatted(namespace, timeMs - now, terms.maxAheadMs()),
          Duration.ofMillis(tooFar));
    }
  }

  private RuntimeException unavailable(WorkerLease holding) {
    synchronized (this) {
      if (closed) {
        return new IllegalStateException("ids of " + namespace + " are closed");
      }
    }
    String why =
        holding == null
            ? "no worker id is free yet"
            : "worker id " + holding.worker() + " could not be renewed in time";
    return new IdsUnavailableException(
        "namespace " + namespace + ": " + why, Duration.ZERO, keeper.failure());
  }

  /** What an id of this namespace is made of. */
  public Snowflake parse(long id) {
    return layout.parse(id);
  }

  /** No id that carries this time or a later one is lower: for queries by time. */
  public long minIdAt(Instant time) {
    return layout.lowestAt(time.toEpochMilli());
  }

  /** No id that carries this time or an earlier one is higher; -1 before the layout's epoch. */
  public long maxIdAt(Instant time) {
    return layout.highestAt(time.toEpochMilli());
  }

  /** The worker id in use; -1 while there is none. */
  public int worker() {
    WorkerLease holding = lease;
    return holding == null ? -1 : holding.worker();
  }

  /** How far the time in ids is ahead of the clock. */
  public Duration ahead() {
    long place = last.get();
    long time = place < 0 ? 0 : layout.time(layout.unitOf(place));
    return Duration.ofMillis(Math.max(0, time - runtime.wall().millis()));
  }

  /** Ids that can be made up to max_ahead. */
  private long room() {
    WorkerLease holding = lease;
    if (holding == null || holding.isOverdue()) {
      return 0;
    }
    WorkerLease.RenewalTerms terms = holding.terms();
    long end = layout.firstPosition(layout.unit(trusted(terms) + terms.maxAheadMs()) + 1);
    return Math.max(0, end - Math.max(last.get() + 1, holding.firstPosition()));
  }

  /** The worker id is another's now, or nobody's. */
  synchronized void lost(WorkerLease holding) {
    if (lease == holding) {
      lease = null;
    }
  }

  /** Continues with another worker id; false if it is not wanted any more. */
  synchronized boolean advance(Worker granted, long askedAt) {
    if (closed) {
      return false;
    }
    // There is none now, so nobody takes a place between this look and the new one's beginning.
    lease = new WorkerLease(granted, askedAt, last.get());
    keeper.keep(lease);
    return true;
  }

  /** Makes no more, and gives the worker id back, with the last time used: it is free at once. */
  @Override
  public void close() {
    WorkerLease held;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      held = lease;
      lease = null;
    }
    // Whoever takes a place after this finds the tenure gone and hands out nothing.
    keeper.close(held, last.get());
    runtime.detach(this);
    events.closed(gauges);
  }
}
