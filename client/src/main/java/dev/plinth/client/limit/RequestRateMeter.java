package dev.plinth.client.limit;

/** How much was asked of the service lately: in a stretch of up to a second. */
final class RequestRateMeter {
  private static final long NANOS_PER_SECOND = 1_000_000_000;
  private static final long MIN = 1_000_000;

  private long since;
  private long calls;
  private long units;

  /** The calls of this stretch, with this one. */
  synchronized long add(long cost, long now) {
    if (calls == 0 || now - since >= NANOS_PER_SECOND) {
      since = now;
      calls = 0;
      units = 0;
    }
    calls++;
    units += cost;
    return calls;
  }

  synchronized long unitsPerSecond(long now) {
    return (long) ((double) units * NANOS_PER_SECOND / Math.max(MIN, now - since));
  }
}
