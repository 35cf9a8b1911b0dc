package dev.plinth.config.core;

/** What an agent made of a release. */
public record AgentAck(
    String group, ReleaseOrder order, AckState state, String error, String config) {
  /** How far it is. */
  public enum AckState {
    /** All content is there and valid. */
    STAGED,
    /** It runs it. */
    APPLIED,
    /** It keeps what it had. */
    REJECTED
  }
}
