package dev.plinth.simulation.cluster;

/** How badly the store behaves now, for all nodes. */
public final class StoreFaults {
  private static final long USUAL_NANOS = 1_000_000;

  private double requestLost;
  private double answerLost;
  private long delayNanos = USUAL_NANOS;

  double requestLost() {
    return requestLost;
  }

  double answerLost() {
    return answerLost;
  }

  long delayNanos() {
    return delayNanos;
  }

  /** The share of requests, and of answers, that nobody hears of again. */
  public void lose(double requests, double answers) {
    requestLost = requests;
    answerLost = answers;
  }

  /** The most that a request takes. */
  public void delay(long nanos) {
    delayNanos = nanos;
  }

  public void heal() {
    lose(0, 0);
    delay(USUAL_NANOS);
  }
}
