package dev.plinth.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Random;
import org.junit.jupiter.api.Test;

class AdmissionCheckerTest {
  private static AdmissionChecker of(long... timesAndCosts) {
    AdmissionChecker checker = new AdmissionChecker();
    for (int i = 0; i < timesAndCosts.length; i += 2) {
      checker.admitted(timesAndCosts[i], timesAndCosts[i + 1]);
    }
    return checker;
  }

  @Test
  void oneTooManyInAStretch_isFound_andNotByItsEnds() {
    of(0, 3, 100, 3).checkWithin(100, 3);
    AssertionError found =
        assertThrows(
            AssertionError.class, () -> of(0, 1, 30, 2, 99, 2, 400, 1).checkWithin(100, 4));
    assertEquals("5 admitted from 0 to 99 (expected: at most 4)", found.getMessage());
  }

  @Test
  void orderOfReport_doesNotMatter() {
    assertThrows(AssertionError.class, () -> of(99, 2, 0, 1, 30, 2).checkWithin(100, 4));
  }

  @Test
  void rate_burstAndRefill_areAllowed_oneMoreIsFound() {
    of(0, 10, 1000, 1, 2000, 1).checkRate(10, 1, 1000);
    assertThrows(AssertionError.class, () -> of(0, 10, 999, 1).checkRate(10, 1, 1000));
    assertThrows(AssertionError.class, () -> of(0, 11).checkRate(10, 1, 1000));
  }

  @Test
  void rate_burstLateAfterAQuietTime_isFound() {
    assertThrows(
        AssertionError.class, () -> of(0, 1, 1_000_000, 10, 1_000_500, 1).checkRate(10, 1, 1000));
  }

  /** The quick pass finds exactly what looking at every pair finds. */
  @Test
  void rate_agreesWithEveryPair() {
    int refused = 0;
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      AdmissionChecker checker = new AdmissionChecker();
      long at = 0;
      for (int i = 0; i < 12; i++) {
        at += random.nextInt(40);
        checker.admitted(at, 1 + random.nextInt(3));
      }
      boolean byPairs = holds(() -> checker.checkEach(stretch -> 6 + stretch * 3 / 20));
      assertEquals(byPairs, holds(() -> checker.checkRate(6, 3, 20)), "seed " + seed);
      refused += byPairs ? 0 : 1;
    }
    assertEquals(true, refused > 50 && refused < 250, "a fair share of both: " + refused);
  }

  private static boolean holds(Runnable check) {
    try {
      check.run();
      return true;
    } catch (AssertionError e) {
      return false;
    }
  }
}
