package dev.plinth.ratelimit.core;

import java.util.concurrent.TimeUnit;

/** How much is asked of some budgets on this node, seen at each flush. */
final class Demand {
  private static final long WINDOW = TimeUnit.MILLISECONDS.toNanos(100);

  private long since;
  private boolean begun;
  private long checks;
  private long units;
  private double checksPerNano;
  private double unitsPerNano;

  synchronized void saw(long now, long moreChecks, long moreUnits) {
    if (!begun) {
      begun = true;
      since = now;
    } else if (now - since >= WINDOW) {
      checksPerNano = (double) checks / (now - since);
      unitsPerNano = (double) units / (now - since);
      since = now;
      checks = 0;
      units = 0;
    }
    checks += moreChecks;
    units += moreUnits;
  }

  /** Units were spent of a lease, by checks like those that were seen. */
  synchronized void spent(long now, long moreUnits) {
    double cost =
        checksPerNano > 0 ? unitsPerNano / checksPerNano : checks > 0 ? (double) units / checks : 1;
    saw(now, Math.max(1, Math.round(moreUnits / cost)), moreUnits);
  }

  synchronized boolean isAbove(long perSecond) {
    return checksPerNano * TimeUnit.SECONDS.toNanos(1) > perSecond
        || checks * (double) TimeUnit.SECONDS.toNanos(1) / WINDOW > perSecond;
  }

  /** What is asked for in a stretch of time, going by the last one. */
  synchronized long in(long micros) {
    double perNano = Math.max(unitsPerNano, (double) units / WINDOW);
    return (long) Math.ceil(perNano * TimeUnit.MICROSECONDS.toNanos(micros));
  }
}
