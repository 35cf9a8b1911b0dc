package dev.plinth.simulation.workload;

/** Clients of one kind in a run, and the judgement of what they saw. */
public interface Workload {
  /** Starts the clients. Faults begin at the same time. */
  void start();

  /**
   * All is healed and no client begins anything new. Called once; what is still under way ends by
   * itself.
   */
  default void healed() {}

  /** Whether nothing is under way any more. */
  boolean isSettled();

  /** Judges the run once it is settled. Throws an AssertionError for what must not be. */
  void check();
}
