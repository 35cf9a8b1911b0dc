package dev.plinth.testkit.lease;

import java.util.List;

/**
 * What a client was told.
 *
 * @param token the newest that holds the key, where STALE tells one
 * @param holds the caller's own where it got one, else those it was shown
 */
public record LeaseAnswer(Outcome outcome, long token, List<Held> holds) {
  /** The outcomes of all calls. */
  public enum Outcome {
    GRANTED,
    REENTERED,
    HELD,
    TIMED_OUT,
    RENEWED,
    LOST,
    RELEASED,
    STILL_HELD,
    NOT_HELD,
    TRANSFERRED,
    VALID,
    STALE,
    /** Of READ: the holds of now. */
    SHOWN,
    /** Of FORCE_RELEASE: the holds that were ended. */
    FORCED
  }

  /** A hold as the service shows it. */
  public record Held(String owner, long token, boolean shared, int entries) {
    @Override
    public String toString() {
      return owner + "#" + token + (shared ? " shared" : "") + (entries == 1 ? "" : " x" + entries);
    }
  }

  public static LeaseAnswer of(Outcome outcome, Held... holds) {
    return new LeaseAnswer(outcome, 0, List.of(holds));
  }

  public static LeaseAnswer of(Outcome outcome, List<Held> holds) {
    return new LeaseAnswer(outcome, 0, List.copyOf(holds));
  }

  public static LeaseAnswer stale(long current) {
    return new LeaseAnswer(Outcome.STALE, current, List.of());
  }

  Held only() {
    return holds.get(0);
  }

  @Override
  public String toString() {
    return outcome + (token == 0 ? "" : " #" + token) + (holds.isEmpty() ? "" : " " + holds);
  }
}
