package dev.plinth.config.core;

/** Where a rollout is. */
public enum RolloutPhase {
  /** Agents of its stage are being reached. */
  RUNNING,
  /** All of them are; the gates are watched. */
  BAKING,
  /** The stage is over, and an operator says when the next one begins. */
  WAITING,
  /** No further agent gets it. */
  PAUSED,
  ABORTED,
  DONE;

  boolean isOver() {
    return this == ABORTED || this == DONE;
  }

  /** Whether agents are sent it that were not before. */
  boolean isDelivering() {
    return this == RUNNING || this == BAKING || this == WAITING;
  }
}
