package dev.plinth.config.core;

/**
 * Why a rollout does something.
 *
 * @param actor the operator who wants it; empty if it happens by itself
 */
public record RolloutReason(String text, String actor) {
  static RolloutReason byItself(String text) {
    return new RolloutReason(text, "");
  }

  /** What happened, with the operator's words if there are any. */
  RolloutReason told(String what) {
    return new RolloutReason(text.isEmpty() ? what : what + ": " + text, actor);
  }
}
