package dev.plinth.bench;

import java.io.Serializable;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * What came of a load.
 *
 * @param done while it counted
 * @param operations that did it
 * @param nanos how long each operation took, while it counted
 * @param inAll with what was done before and after it counted
 */
public record Measured(long done, long operations, double seconds, Histogram nanos, long inAll)
    implements Serializable {
  static final long MAX_NANOS = TimeUnit.MINUTES.toNanos(1);
  static final int DIGITS = 2;

  static Histogram empty() {
    return new Histogram(MAX_NANOS, DIGITS);
  }

  /** Rounds of one case, one after another. */
  public static Measured rounds(Collection<Measured> rounds) {
    return merge(rounds, rounds.stream().mapToDouble(Measured::seconds).sum());
  }

  /** Processes that ran side by side. */
  public static Measured together(Collection<Measured> processes) {
    return merge(
        processes, processes.stream().mapToDouble(Measured::seconds).average().orElseThrow());
  }

  private static Measured merge(Collection<Measured> parts, double seconds) {
    Histogram all = empty();
    parts.forEach(part -> all.add(part.nanos));
    return new Measured(
        parts.stream().mapToLong(Measured::done).sum(),
        parts.stream().mapToLong(Measured::operations).sum(),
        seconds,
        all,
        parts.stream().mapToLong(Measured::inAll).sum());
  }

  public double perSecond() {
    return done / seconds;
  }

  public double operationsPerSecond() {
    return operations / seconds;
  }

  public double millis(double percentile) {
    return nanos.getValueAtPercentile(percentile) / 1e6;
  }
}
