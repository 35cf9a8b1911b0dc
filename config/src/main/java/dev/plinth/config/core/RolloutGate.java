package dev.plinth.config.core;

/** What stops a rollout by itself. */
public enum RolloutGate {
  REJECTIONS,
  UNACKED,
  DEATHS
}
