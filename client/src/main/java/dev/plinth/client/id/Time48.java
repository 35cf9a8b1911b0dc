package dev.plinth.client.id;

/** Milliseconds since 1970 in 48 bits, which last until the year 10889. */
final class Time48 {
  private static final long LAST = (1L << 48) - 1;

  private Time48() {}

  static long checked(long ms) {
    if (ms < 0 || ms > LAST) {
      throw new IllegalStateException("clock: " + ms + " ms (expected: 0.." + LAST + ")");
    }
    return ms;
  }
}
