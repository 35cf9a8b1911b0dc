package dev.plinth.client.id;

import java.time.Duration;

/**
 * Ids of a dense namespace, handed out from ranges that the server leases to this handle. The next
 * range is fetched when half of this one is used, so {@link #next} makes no call and takes no lock;
 * only one who finds both used up waits, for {@link RangeOptions#timeout} at most.
 *
 * <p><b>Unique</b>: over all handles, clients and restarts. The server gives a range once, and what
 * a handle gives back it has stopped using. No clock has a part in it.
 *
 * <p><b>Rising</b>: an id is higher than each one whose {@code next} on this handle had returned
 * before, on whatever thread. Ids of different handles interleave.
 *
 * <p><b>In time</b>: at its deadline, counted from before it was asked for, a range is ended by the
 * event loop, and its clock is looked at for one id in a block of at most 1024 besides. So only a
 * process that was suspended past the deadline can hand out ids of it after waking, fewer than a
 * block; they are unique all the same, since the server never gives a range that was not returned
 * to another.
 */
public final class RangeIdGenerator implements AutoCloseable {
  private final RangeFetcher fetcher;
  private final IdGeneratorGauges gauges;
  private volatile LeasedRange current;
  private long issuedBefore;
  private boolean watched;
  private boolean closed;

  private RangeIdGenerator(RangeFetcher fetcher, LeasedRange first) {
    this.fetcher = fetcher;
    this.gauges =
        new IdGeneratorGauges(namespace(), this::issued, this::runway, () -> Duration.ZERO);
    this.current = first;
  }

  static RangeIdGenerator open(RangeFetcher fetcher) throws InterruptedException {
    RangeIdGenerator ids = new RangeIdGenerator(fetcher, fetcher.first());
    fetcher.runtime().attach(ids);
    fetcher.events().opened(ids.gauges);
    ids.watch();
    return ids;
  }

  public String namespace() {
    return fetcher.namespace();
  }

  /**
   * The next id.
   *
   * @throws IdsUnavailableException if none is left and none came in time
   * @throws IllegalStateException if this or the client is closed
   */
  public long next() {
    LeasedRange range = current;
    long place = range.take(1);
    return range.isPlain(place) ? range.id(place) : nextWithCare(range, place);
  }

  private long nextWithCare(LeasedRange from, long at) {
    LeasedRange range = from;
    long place = at;
    while (place >= range.count() || !isGood(range, place)) {
      range = after(range);
      place = range.take(1);
    }
    return range.id(place);
  }

  /**
   * As many ids as the array has room for, rising. If it fails, those that it had already taken are
   * used up.
   *
   * @throws IdsUnavailableException if not enough are left and no more came in time
   */
  public void next(long[] ids) {
    int filled = 0;
    LeasedRange range = current;
    while (filled < ids.length) {
      long place = range.take(ids.length - filled);
      long end = Math.min(place + ids.length - filled, range.count());
      if (place >= end || !isGood(range, end - 1)) {
        range = after(range);
        continue;
      }
      for (; place < end; place++) {
        ids[filled++] = range.id(place);
      }
    }
  }

  /** Looks at the clock and at the stock. */
  private boolean isGood(LeasedRange range, long place) {
    long now = fetcher.now();
    if (now - range.deadline() >= 0) {
      range.end();
      return false;
    }
    if (range.isPastHalf(place)) {
      range.fetchNext(rangeFetch -> rangeFetch.isDone(now), fetcher::fetch);
    }
    return true;
  }

  /** The range after one that has no more. */
  private LeasedRange after(LeasedRange used) {
    if (current == used) {
      requireOpen();
      moveOn(used, awaitNext(used));
      requireOpen();
    }
    return current;
  }

  private LeasedRange awaitNext(LeasedRange used) {
    // What was refused to another is asked for anew; what is in flight is waited for.
    RangeFetch rangeFetch = used.fetchNext(RangeFetch::isRefused, fetcher::fetch);
    if (rangeFetch.isInFlight()) {
      fetcher.events().stalled(namespace());
    }
    return rangeFetch.await();
  }

  private synchronized void moveOn(LeasedRange used, LeasedRange next) {
    if (closed) {
      if (next.end()) {
        fetcher.settle(next); // it came when close had looked already
      }
    } else if (current == used) {
      used.end();
      issuedBefore += used.used();
      fetcher.settle(used);
      current = next;
      watch();
    }
  }

  private synchronized void requireOpen() {
    if (closed) {
      throw new IllegalStateException("ids of " + namespace() + " are closed");
    }
  }

  /** Has the event loop end this range at its time. */
  private synchronized void watch() {
    if (!watched && !closed) {
      watched = true;
      LeasedRange range = current;
      Duration left = Duration.ofNanos(range.deadline() - fetcher.now());
      fetcher.runtime().after(left, () -> endOverdue(range));
    }
  }

  private synchronized void endOverdue(LeasedRange watchedFor) {
    watched = false;
    if (current == watchedFor) {
      current.end(); // the one after it will be watched when it is used
    } else {
      watch();
    }
  }

  /** Ids that can be had without a wait: of this range, and of the next if it is here. */
  public synchronized long runway() {
    if (closed) {
      return 0;
    }
    long now = fetcher.now();
    RangeFetch next = current.next();
    long nexts = next == null ? 0 : next.arrived().map(range -> range.ready(now)).orElse(0L);
    return current.ready(now) + nexts;
  }

  /** Ids handed out so far. */
  public synchronized long issued() {
    return issuedBefore + current.used();
  }

  /**
   * Hands out no more, and gives back what is left of both ranges. If the server does not answer,
   * that is lost.
   */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      current.end();
    }
    // The newer one first: only then does this one's end lie at the end of all that was given.
    current
        .stopNext(fetcher.fetch(0))
        .last(fetcher.runtime().callDeadline())
        .filter(LeasedRange::end)
        .ifPresent(fetcher::returnRange);
    fetcher.returnRange(current);
    fetcher.runtime().detach(this);
    fetcher.events().closed(gauges);
  }
}
