package dev.plinth.simulation.workload.client;

import dev.plinth.testkit.HoldChecker.Hold;

/** What a client makes of one grant. */
interface Belief {
  String key();

  long token();

  boolean isShared();

  /** Whether its process can act at all. */
  boolean isAlive();

  /** Whether a write would go out under it now. */
  boolean isBelieved();

  /** The client gave it back by itself. */
  boolean isGivenBack();

  /** How often the application was told of its loss. */
  int told();

  /** Whether a loss is told at once: its process has run without a break. */
  boolean isPrompt();

  /** From when to when it was surely believed in; of a shared one only the token counts. */
  Hold hold();
}
