package dev.plinth.ratelimit.pipeline;

import java.util.concurrent.TimeUnit;

/** The rate of checks and units of some budgets on this node, measured at each flush. */
final class DemandMeter {
  private static final long WINDOW = TimeUnit.MILLISECONDS.toNanos(100);

  private long since;
  private boolean begun;
  private long checks;
  private long units;
  private double checksPerNano;
  private double unitsPerNano;

  synchronized void add(long now, long moreChecks, long moreUnits) {
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
    add(now, Math.max(1, Math.round(moreUnits / cost)), moreUnits);
  }

  synchronized boolean isAbove(long perSecond) {
    return checksPerNano * TimeUnit.SECONDS.toNanos(1) > perSecond
        || checks * (double) TimeUnit.SECONDS.toNanos(1) / WINDOW > perSecond;
  }

  /** Units requested in an interval, going by the last one. */
  synchronized long unitsIn(long micros) {
    double perNano = Math.max(unitsPerNano, (double) units / WINDOW);
    return (long) Math.ceil(perNano * TimeUnit.MICROSECONDS.toNanos(micros));
  }
}
