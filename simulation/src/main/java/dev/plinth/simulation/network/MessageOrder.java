package dev.plinth.simulation.network;

/** Keeps the messages of one call in one direction in order; those of two calls have none. */
final class MessageOrder {
  private long last;
  private int held;

  long arrival(long earliest) {
    last = Math.max(last + 1, earliest);
    return last;
  }

  /** How many wait for the link to be mended. */
  int holds() {
    return held;
  }

  void hold(int more) {
    held += more;
  }
}
