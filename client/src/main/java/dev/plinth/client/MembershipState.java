package dev.plinth.client;

/** How sure a process may be that the registry has it as a member. */
public enum MembershipState {
  /** Registered, and its beats are answered. */
  JOINED,

  /** A beat failed, or the machine seems to have slept. */
  JEOPARDY,

  /**
   * The server may declare it dead from now on, or has ended it. The client goes on by itself until
   * it is a member again.
   */
  LOST,

  /** Closed. Final. */
  LEFT
}
