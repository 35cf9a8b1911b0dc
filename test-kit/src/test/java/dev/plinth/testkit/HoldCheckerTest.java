package dev.plinth.testkit;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.testkit.HoldChecker.Hold;
import java.util.List;
import org.junit.jupiter.api.Test;

class HoldCheckerTest {
  private static final Hold FIRST = new Hold("k", "ann", 1, 0, 10, 20);

  @Test
  void oneAfterTheOther_isFine_evenWhenAskedForTogether() {
    HoldChecker.check(List.of(FIRST, new Hold("k", "bob", 2, 1, 25, 30)));
    HoldChecker.check(List.of(FIRST, new Hold("other", "bob", 2, 1, 12, 30)));
  }

  @Test
  void twoAtOnce_areFound() {
    assertFinds("two holders at once", new Hold("k", "bob", 2, 1, 15, 30));
    assertFinds("two holders at once", new Hold("k", "bob", 2, 1, 19, Long.MAX_VALUE));
  }

  @Test
  void grantThatWasOverWhenItsAnswerCame_overlapsNobody() {
    HoldChecker.check(List.of(FIRST, new Hold("k", "bob", 2, 1, 15, 15)));
    assertFinds("one token twice", new Hold("k", "bob", 1, 1, 15, 15));
  }

  @Test
  void longHold_isComparedWithAllThatCome_notOnlyTheNext() {
    Hold open = new Hold("k", "eve", 3, 30, 40, 1000);
    Hold brief = new Hold("k", "bob", 4, 50, 60, 61);
    Hold late = new Hold("k", "cid", 5, 70, 80, 90);
    assertThrows(AssertionError.class, () -> HoldChecker.check(List.of(open, late, brief)));
  }

  @Test
  void tokenThatFell_isFound() {
    assertFinds("a token that did not rise", new Hold("k", "bob", 0, 21, 30, 40));
    assertFinds("a token that did not rise", new Hold("other", "bob", 0, 21, 30, 40));
  }

  @Test
  void tokenGivenTwice_isFound() {
    assertFinds("one token twice", new Hold("k", "bob", 1, 21, 30, 40));
  }

  private static void assertFinds(String what, Hold second) {
    AssertionError found =
        assertThrows(AssertionError.class, () -> HoldChecker.check(List.of(FIRST, second)));
    assertTrue(found.getMessage().startsWith(what), found.getMessage());
  }
}
