package dev.plinth.bench;

import dev.plinth.bench.Load.Times;

/** How long and how often a bench measures each case. */
public record Pace(int rounds, Times times) {
  /** Only to try a bench: its figures say nothing, and no page is written. */
  public static final boolean QUICK = Boolean.getBoolean("plinth.bench.quick");

  /** A tenth of it, once, if it is only tried. */
  public static Pace of(int rounds, double warmUp, double seconds) {
    return QUICK
        ? new Pace(1, new Times(warmUp / 10, seconds / 10))
        : new Pace(rounds, new Times(warmUp, seconds));
  }
}
