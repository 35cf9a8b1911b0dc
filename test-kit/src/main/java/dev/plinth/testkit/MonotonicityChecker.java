package dev.plinth.testkit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Judges numbers that must rise in the order of real time: whoever asked after another had been
 * answered has the higher ones, and no number was given twice. Those who asked at the same time may
 * have theirs in either order.
 */
public final class MonotonicityChecker {
  /** What one caller was given, lowest and highest of it, all times on one clock. */
  public record Given(int client, long asked, long answered, long lowest, long highest) {}

  private MonotonicityChecker() {}

  /** Fails with the two that cannot both be. */
  public static void check(List<Given> all) {
    checkApart(all);
    List<Given> byAnswer = new ArrayList<>(all);
    byAnswer.sort(Comparator.comparingLong(Given::answered));
    Given highest = null;
    int before = 0;
    for (Given given : all.stream().sorted(Comparator.comparingLong(Given::asked)).toList()) {
      for (; byAnswer.get(before).answered < given.asked; before++) {
        Given earlier = byAnswer.get(before);
        highest = highest == null || earlier.highest > highest.highest ? earlier : highest;
      }
      require(
          highest == null || highest.highest < given.lowest,
          "lower though it was asked for later",
          highest,
          given);
    }
  }

  private static void checkApart(List<Given> all) {
    Given last = null;
    for (Given given : all.stream().sorted(Comparator.comparingLong(Given::lowest)).toList()) {
      require(last == null || last.highest < given.lowest, "given twice", last, given);
      last = given;
    }
  }

  private static void require(boolean holds, String what, Given one, Given other) {
    if (!holds) {
      throw new AssertionError(what + ":\n  " + one + "\n  " + other);
    }
  }
}
