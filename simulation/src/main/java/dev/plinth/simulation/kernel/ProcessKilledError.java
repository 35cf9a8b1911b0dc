package dev.plinth.simulation.kernel;

/** Unwinds the thread of a process that is dead. Whatever it still does has no effect. */
final class ProcessKilledError extends Error {
  private static final long serialVersionUID = 1;

  ProcessKilledError() {
    super("the process is dead", null, false, false);
  }
}
