package dev.plinth.client;

/** How sure a holder may be that it still holds. */
public enum LeaseState {
  /** Renewed lately. */
  SAFE,

  /** A renewal failed, or the deadline is near: finish or pause, start nothing long. */
  JEOPARDY,

  /** Another may hold it: stop. Final. */
  LOST,

  /** Given back by its own holder. Final. */
  RELEASED
}
