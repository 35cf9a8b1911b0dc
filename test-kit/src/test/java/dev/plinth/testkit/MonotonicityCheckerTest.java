package dev.plinth.testkit;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.testkit.MonotonicityChecker.Given;
import java.util.List;
import org.junit.jupiter.api.Test;

class MonotonicityCheckerTest {
  private static final Given FIRST = new Given(1, 0, 10, 5, 7);

  @Test
  void laterAndHigher_isFine() {
    MonotonicityChecker.check(
        List.of(FIRST, new Given(2, 11, 20, 8, 8), new Given(1, 21, 30, 20, 21)));
  }

  @Test
  void atTheSameTime_eitherOrderIsFine() {
    MonotonicityChecker.check(List.of(FIRST, new Given(2, 10, 20, 1, 4)));
    MonotonicityChecker.check(
        List.of(FIRST, new Given(2, 1, 20, 1, 4), new Given(3, 5, 9, 100, 100)));
  }

  @Test
  void laterAndLower_isFound() {
    assertFinds("lower", FIRST, new Given(2, 11, 20, 3, 4));
  }

  @Test
  void allAnsweredBefore_count_notOnlyTheLast() {
    assertFinds("lower", FIRST, new Given(2, 0, 12, 1, 1), new Given(3, 13, 20, 2, 3));
  }

  @Test
  void givenTwice_isFound_evenAtTheSameTime() {
    assertFinds("given twice", FIRST, new Given(2, 0, 10, 7, 9));
    assertFinds("given twice", FIRST, new Given(2, 11, 20, 5, 7));
  }

  private static void assertFinds(String what, Given... all) {
    AssertionError found =
        assertThrows(AssertionError.class, () -> MonotonicityChecker.check(List.of(all)));
    assertTrue(found.getMessage().startsWith(what), found.getMessage());
  }
}
