package dev.plinth.testkit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongUnaryOperator;

/**
 * Judges whether more was admitted than a bound allows, in any stretch of time. For a bound that
 * grows with the stretch it is enough to look at those that begin and end with an admission.
 */
public final class AdmissionChecker {
  /**
   * What was admitted, in any order.
   *
   * @param at microseconds on one clock
   */
  public record Admission(long at, long cost) {}

  private final List<Admission> admissions = new ArrayList<>();

  public synchronized void admitted(long at, long cost) {
    admissions.add(new Admission(at, cost));
  }

  public synchronized List<Admission> admissions() {
    return List.copyOf(admissions);
  }

  /** At most so much in any stretch shorter than {@code length}, with one pass of two pointers. */
  public void checkWithin(long length, long most) {
    List<Admission> sorted = sorted();
    long sum = 0;
    int first = 0;
    for (Admission last : sorted) {
      sum += last.cost;
      for (; sorted.get(first).at <= last.at - length; first++) {
        sum -= sorted.get(first).cost;
      }
      require(sum <= most, sorted.get(first), last, sum, most);
    }
  }

  /** At most {@code burst + floor(rate * stretch)} in any stretch: {@code units} in {@code per}. */
  public void checkRate(long burst, long units, long per) {
    // sum(i..j) - rate * (t[j] - t[i]) is largest where the part up to before i is least.
    List<Admission> sorted = sorted();
    long start = sorted.isEmpty() ? 0 : sorted.get(0).at;
    long sum = 0;
    long sumBefore = 0;
    long least = 0;
    Admission first = sorted.isEmpty() ? null : sorted.get(0);
    for (Admission last : sorted) {
      long refilled = Math.multiplyExact(last.at - start, units);
      long before = Math.multiplyExact(sum, per) - refilled;
      if (before < least || first == null) {
        least = before;
        sumBefore = sum;
        first = last;
      }
      sum += last.cost;
      long over = Math.multiplyExact(sum, per) - refilled - least;
      long stretch = last.at - first.at;
      long most = burst + stretch * units / per;
      require(over <= Math.multiplyExact(burst, per), first, last, sum - sumBefore, most);
    }
  }

  /** At most what {@code bound} gives for the length of a stretch, looking at every pair. */
  public void checkEach(LongUnaryOperator bound) {
    List<Admission> sorted = sorted();
    for (int i = 0; i < sorted.size(); i++) {
      long sum = 0;
      for (int j = i; j < sorted.size(); j++) {
        sum += sorted.get(j).cost;
        long most = bound.applyAsLong(sorted.get(j).at - sorted.get(i).at);
        require(sum <= most, sorted.get(i), sorted.get(j), sum, most);
      }
    }
  }

  private synchronized List<Admission> sorted() {
    return admissions.stream().sorted(Comparator.comparingLong(Admission::at)).toList();
  }

  private static void require(boolean holds, Admission first, Admission last, long sum, long most) {
    if (!holds) {
      throw new AssertionError(
          "%d admitted from %d to %d (expected: at most %d)"
              .formatted(sum, first.at, last.at, most));
    }
  }
}
