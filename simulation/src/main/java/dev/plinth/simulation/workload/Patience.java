package dev.plinth.simulation.workload;

/**
 * How a request is sent again.
 *
 * @param attemptMillis the deadline of an attempt
 * @param pauseMillis between attempts
 * @param most attempts; then the caller gives up
 * @param hedged whether the first attempt goes to two nodes at once
 */
public record Patience(long attemptMillis, long pauseMillis, int most, boolean hedged) {
  private static final int PATIENT = 100_000;

  public static Patience endless(long attemptMillis, long pauseMillis) {
    return new Patience(attemptMillis, pauseMillis, PATIENT, false);
  }

  public boolean isEndless() {
    return most == PATIENT;
  }

  public Patience once() {
    return new Patience(attemptMillis, pauseMillis, 1, false);
  }

  Patience withHedge() {
    return new Patience(attemptMillis, pauseMillis, most, true);
  }
}
