package dev.plinth.client.id;

import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.id.v1.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Snowflake ids, made here with a worker id that the server leases to this handle and that the
 * client's own thread renews. {@link #next} makes no call, takes no lock and never blocks.
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
  private final ClientRuntime clientRuntime;
  private final ClientIdEvents events;
  private final IdGeneratorGauges idGeneratorGauges;
  private final WorkerLeaseRenewer keeper;
  private final SnowflakeLayout layout;
  // The highest place taken; of a worker id that is lost too, so that ids go on above.
  private final AtomicLong last = new AtomicLong(NONE_YET);
  private final LongAdder made = new LongAdder();
  private volatile WorkerLease workerLease;
  private boolean closed;

  private SnowflakeIdGenerator(
      String namespace,
      ClientRuntime clientRuntime,
      ClientIdEvents events,
      WorkerLeaseRenewer.FirstLease first) {
    this.namespace = namespace;
    this.clientRuntime = clientRuntime;
    this.events = events;
    this.idGeneratorGauges = new IdGeneratorGauges(namespace, made::sum, this::room, this::ahead);
    this.keeper = new WorkerLeaseRenewer(namespace, clientRuntime, this);
    this.workerLease = new WorkerLease(first.worker(), first.askedAt(), NONE_YET);
    this.layout = workerLease.layout();
  }

  static SnowflakeIdGenerator open(
      String namespace, ClientRuntime clientRuntime, ClientIdEvents events)
      throws InterruptedException {
    SnowflakeIdGenerator ids =
        new SnowflakeIdGenerator(
            namespace, clientRuntime, events, WorkerLeaseRenewer.hire(namespace, clientRuntime));
    clientRuntime.attach(ids);
    events.opened(ids.idGeneratorGauges);
    ids.keeper.keep(ids.workerLease);
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
    WorkerLease holding = workerLease;
    if (holding == null || holding.isOverdue()) {
      throw unavailable(holding);
    }
    return holding;
  }

  /** The first of so many places, or -1 if another look is needed. */
  private long take(WorkerLease holding, int count) {
    WorkerLease.RenewalTerms renewalTerms = holding.terms();
    long now = trusted(renewalTerms);
    long before = last.get();
    long from = Math.max(before + 1, holding.firstPosition());
    from = Math.max(from, layout.firstPosition(layout.unit(now)));
    long to = from + count - 1;
    requireReach(layout.time(layout.unitOf(to)), renewalTerms, now);
    if (!last.compareAndSet(before, to)) {
      return -1;
    }
    // Only now: whoever was paused until here has not got an id yet.
    if (clientRuntime.nanos().getAsLong() - renewalTerms.deadline() >= 0) {
      holding.setOverdue(renewalTerms);
      return -1;
    }
    return workerLease == holding ? from : -1;
  }

  /**
   * The wall clock, unless it is so far ahead of the server's that it would leave no room up to the
   * ceiling: then it is wrong, and the window moves on as the server's clock does.
   */
  private long trusted(WorkerLease.RenewalTerms renewalTerms) {
    return Math.min(
        clientRuntime.wall().millis(), renewalTerms.ceilingMs() - renewalTerms.maxAheadMs());
  }

  private void requireReach(long timeMs, WorkerLease.RenewalTerms renewalTerms, long now) {
    if (timeMs > renewalTerms.ceilingMs() || timeMs - now > renewalTerms.maxAheadMs()) {
      long tooFar =
          Math.max(timeMs - renewalTerms.ceilingMs(), timeMs - now - renewalTerms.maxAheadMs());
      throw new IdsUnavailableException(
          "namespace %s: time in ids would be %d ms ahead of the clock (expected: up to %d)"
              .formatted(namespace, timeMs - now, renewalTerms.maxAheadMs()),
          Duration.ofMillis(tooFar));
    }
  }

  private RuntimeException unavailable(WorkerLease holding) {
    synchronized (this) {
      if (closed) {
        return new IllegalStateException("ids of " + namespace + " are closed");
      }
    }
    return holding == null
        ? new IdsUnavailableException(
            "namespace " + namespace + ": no worker id is free yet",
            Duration.ZERO,
            keeper.failure())
        : new IdsUnavailableException(
            "namespace "
                + namespace
                + ": worker id "
                + holding.worker()
                + " could not be renewed in time",
            Duration.ZERO,
            keeper.failure());
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
    WorkerLease holding = workerLease;
    return holding == null ? -1 : holding.worker();
  }

  /** How far the time in ids is ahead of the clock. */
  public Duration ahead() {
    long place = last.get();
    long time = place < 0 ? 0 : layout.time(layout.unitOf(place));
    return Duration.ofMillis(Math.max(0, time - clientRuntime.wall().millis()));
  }

  /** Ids that can be made up to max_ahead. */
  private long room() {
    WorkerLease holding = workerLease;
    if (holding == null || holding.isOverdue()) {
      return 0;
    }
    WorkerLease.RenewalTerms renewalTerms = holding.terms();
    long end =
        layout.firstPosition(layout.unit(trusted(renewalTerms) + renewalTerms.maxAheadMs()) + 1);
    return Math.max(0, end - Math.max(last.get() + 1, holding.firstPosition()));
  }

  /** The worker id is another's now, or nobody's. */
  synchronized void lost(WorkerLease holding) {
    if (workerLease == holding) {
      workerLease = null;
    }
  }

  /** Goes on with another worker id; false if it is not wanted any more. */
  synchronized boolean advance(Worker granted, long askedAt) {
    if (closed) {
      return false;
    }
    // There is none now, so nobody takes a place between this look and the new one's beginning.
    workerLease = new WorkerLease(granted, askedAt, last.get());
    keeper.keep(workerLease);
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
      held = workerLease;
      workerLease = null;
    }
    // Whoever takes a place after this finds the tenure gone and hands out nothing.
    keeper.close(held, last.get());
    clientRuntime.detach(this);
    events.closed(idGeneratorGauges);
  }
}
