package dev.plinth.bench;

import dev.plinth.bench.Load.Times;

/** How long and how often a bench measures each case. */
public record Pace(int rounds, Times times) {
  /** Only to try a bench: its figures say nothing, and no page is written. */
  public static final boolean QUICK = Boolean.getBoolean("plinth.bench.quick");

  private static final String SECONDS = System.getProperty("plinth.bench.seconds", "");

  /** A tenth of it, once, if it is only tried; as long as {@code -Pseconds} says if that is set. */
  public static Pace of(int rounds, double warmUp, double seconds) {
    if (!SECONDS.isEmpty()) {
      double told = Double.parseDouble(SECONDS);
      return new Pace(1, new Times(Math.min(warmUp, told), told));
    }
    return QUICK
        ? new Pace(1, new Times(warmUp / 10, seconds / 10))
        : new Pace(rounds, new Times(warmUp, seconds));
  }

  /** Whether cases are measured as long and as often as the bench is meant to, undisturbed. */
  public static boolean full() {
    return !QUICK
        && SECONDS.isEmpty()
        && System.getProperty("plinth.bench.rounds") == null
        && System.getProperty("plinth.bench.profile") == null;
  }
}
