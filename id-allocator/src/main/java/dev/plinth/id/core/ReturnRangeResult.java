package dev.plinth.id.core;

/** What became of the rest of a range. */
public record ReturnRangeResult(Outcome outcome, long count) {
  /** The ways it can end. */
  public enum Outcome {
    RECLAIMED,
    WASTED,
    NOT_OUT
  }
}
