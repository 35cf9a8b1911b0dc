package dev.plinth.bench.ids;

import java.util.function.IntFunction;

/**
 * One way to get ids.
 *
 * @param ours ours fail the run if ids do not rise for each caller; of others it is shown
 * @param sources one for each caller, by its number
 */
record Maker(String name, Width width, boolean ours, IntFunction<Source> sources) {
  /** How many ids a caller takes between two looks at the clock, where a call takes nanoseconds. */
  static final int MANY = 1000;

  enum Width {
    /** Up to 63 bits. */
    NARROW,
    /** 128 bits. */
    WIDE
  }

  /**
   * Where one caller takes its ids from. Each has a loop of its own, so that the call in it is
   * compiled for this maker and no other.
   */
  interface Source {
    /** Takes at most {@link #MANY}, notes each, and says how many. */
    int take(Given given) throws Exception;
  }

  static Maker narrow(String name, Source source) {
    return new Maker(name, Width.NARROW, false, caller -> source);
  }

  static Maker wide(String name, Source source) {
    return new Maker(name, Width.WIDE, false, caller -> source);
  }

  /** The same, held to its word. */
  Maker asOurs() {
    return new Maker(name, width, true, sources);
  }
}
