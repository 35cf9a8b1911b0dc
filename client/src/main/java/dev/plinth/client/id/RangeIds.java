package dev.plinth.client.id;

import java.time.Duration;

/**
 * Ids of a dense namespace, handed out from ranges that the server leases to this handle. The next
 * range is fetched when half of this one is used, so {@link #next} makes no call and takes no lock;
 * only one who finds both used up waits, for {@link RangeOptions#patience} at most.
 *
 * <p><b>Unique</b>: over all handles, clients and restarts. The server gives a range once, and what
 * a handle gives back it has stopped using. No clock has a part in it.
 *
 * <p><b>Rising</b>: an id is higher than each one whose {@code next} on this handle had returned
 * before, on whatever thread. Ids of different handles interleave.
 *
 * <p><b>In time</b>: at its deadline, counted from before it was asked for, a range is ended by the
 * client's own thread, and its clock is looked at for one id in a block of at most 1024 besides. So
 * only a process that was suspended past the deadline can hand out ids of it after waking, fewer
 * than a block; they are unique all the same, since the server never gives a range that was not
 * returned to another.
 */
public final class RangeIds implements AutoCloseable {
  private final Ranges ranges;
  private final Issuer issuer;
  private volatile Span current;
  private long issuedBefore;
  private boolean watched;
  private boolean closed;

  private RangeIds(Ranges ranges, Span first) {
    this.ranges = ranges;
    this.issuer = new Issuer(namespace(), this::issued, this::runway, () -> Duration.ZERO);
    this.current = first;
  }

  static RangeIds open(Ranges ranges) throws InterruptedException {
    RangeIds ids = new RangeIds(ranges, ranges.first());
    ranges.line().attach(ids);
    ranges.events().opened(ids.issuer);
    ids.watch();
    return ids;
  }

  public String namespace() {
    return ranges.namespace();
  }

  /**
   * The next id.
   *
   * @throws IdsUnavailable if none is left and none came in time
   * @throws IllegalStateException if this or the client is closed
   */
  public long next() {
    Span span = current;
    long place = span.take(1);
    return span.isPlain(place) ? span.id(place) : nextWithCare(span, place);
  }

  private long nextWithCare(Span from, long at) {
    Span span = from;
    long place = at;
    while (place >= span.count() || !isGood(span, place)) {
      span = after(span);
      place = span.take(1);
    }
    return span.id(place);
  }

  /**
   * As many ids as the array has room for, rising. If it fails, those that it had already taken are
   * used up.
   *
   * @throws IdsUnavailable if not enough are left and no more came in time
   */
  public void next(long[] ids) {
    int filled = 0;
    Span span = current;
    while (filled < ids.length) {
      long place = span.take(ids.length - filled);
      long end = Math.min(place + ids.length - filled, span.count());
      if (place >= end || !isGood(span, end - 1)) {
        span = after(span);
        continue;
      }
      for (; place < end; place++) {
        ids[filled++] = span.id(place);
      }
    }
  }

  /** Looks at the clock and at the stock. */
  private boolean isGood(Span span, long place) {
    long now = ranges.now();
    if (now - span.deadline() >= 0) {
      span.end();
      return false;
    }
    if (span.isPastHalf(place)) {
      span.fetchNext(fetch -> fetch.isOver(now), ranges::fetch);
    }
    return true;
  }

  /** The range after one that has no more. */
  private Span after(Span used) {
    if (current == used) {
      requireOpen();
      moveOn(used, awaitNext(used));
      requireOpen();
    }
    return current;
  }

  private Span awaitNext(Span used) {
    // What was refused to another is asked for anew; what is under way is waited for.
    Fetch fetch = used.fetchNext(Fetch::isRefused, ranges::fetch);
    if (fetch.isUnderWay()) {
      ranges.events().stalled(namespace());
    }
    return fetch.await();
  }

  private synchronized void moveOn(Span used, Span next) {
    if (closed) {
      if (next.end()) {
        ranges.settle(next); // it came when close had looked already
      }
    } else if (current == used) {
      used.end();
      issuedBefore += used.used();
      ranges.settle(used);
      current = next;
      watch();
    }
  }

  private synchronized void requireOpen() {
    if (closed) {
      throw new IllegalStateException("ids of " + namespace() + " are closed");
    }
  }

  /** Has the client's own thread end this range at its time. */
  private synchronized void watch() {
    if (!watched && !closed) {
      watched = true;
      Span span = current;
      Duration left = Duration.ofNanos(span.deadline() - ranges.now());
      ranges.line().after(left, () -> endOverdue(span));
    }
  }

  private synchronized void endOverdue(Span watchedFor) {
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
    long now = ranges.now();
    Fetch next = current.next();
    long nexts = next == null ? 0 : next.arrived().map(span -> span.ready(now)).orElse(0L);
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
        .stopNext(ranges.fetch(0))
        .last(ranges.line().callDeadline())
        .filter(Span::end)
        .ifPresent(ranges::giveBack);
    ranges.giveBack(current);
    ranges.line().detach(this);
    ranges.events().closed(issuer);
  }
}
