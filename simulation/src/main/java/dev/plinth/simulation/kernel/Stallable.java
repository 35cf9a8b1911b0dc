package dev.plinth.simulation.kernel;

/** A thread of a process that the computer may leave without a processor for a while. */
interface Stallable {
  String name();

  /** It does nothing before then. */
  void stallUntil(long time);
}
