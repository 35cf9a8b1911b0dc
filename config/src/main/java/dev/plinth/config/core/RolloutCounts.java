package dev.plinth.config.core;

/**
 * The agents that the stages of a rollout until now are for, by how far they are.
 *
 * @param unsent with a stream, and about to be sent it
 */
public record RolloutCounts(
    int targeted,
    int unsent,
    int sent,
    int staged,
    int applied,
    int rejected,
    int unacked,
    int unreachable) {
  /** Those that the stage waits for. */
  int open() {
    return unsent + sent + staged;
  }

  /** Those that were sent it. */
  int reached() {
    return sent + staged + applied + rejected + unacked;
  }
}
