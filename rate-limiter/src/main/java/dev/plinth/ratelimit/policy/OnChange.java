package dev.plinth.ratelimit.policy;

/** What becomes of a budget in use when its rule changes; another algorithm always resets it. */
public enum OnChange {
  /** What is available stays so, up to the new size. */
  AS_IS,
  /** Begins with the full new size. */
  RESET,
  /** The same share is available, rounded down. */
  PROPORTIONAL,
  /** What is used stays used: available moves with the size. */
  ADDITIVE
}
