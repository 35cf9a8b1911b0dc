package dev.plinth.config.core;

/** How far an agent is with the release that it is to have. */
public enum AgentProgress {
  /** It was not sent it, and has no stream. */
  UNREACHABLE,
  SENT,
  STAGED,
  APPLIED,
  REJECTED,
  /** There is none for it. */
  UNASSIGNED
}
