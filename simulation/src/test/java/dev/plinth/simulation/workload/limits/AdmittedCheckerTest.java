package dev.plinth.simulation.workload.limits;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.plinth.ratelimit.policy.Limit;
import org.junit.jupiter.api.Test;

class AdmittedCheckerTest {
  private static final long SECOND = 1_000_000;
  private static final Limit LIMIT = new Limit.Bucket(10, SECOND, 1); // one a second
  private static final Limit HALF = new Limit.Bucket(5, 2 * SECOND, 1);

  private static AdmittedChecker checker(int nodes, boolean alone) {
    return new AdmittedChecker(LIMIT, nodes == 1 ? LIMIT : HALF, nodes, alone, 0, 1);
  }

  private static void admit(AdmittedChecker checker, long at, int many) {
    for (int i = 0; i < many; i++) {
      checker.admitted(at, 1);
    }
  }

  @Test
  void burstAndRate_areRight_andOneMoreIsSeen() {
    AdmittedChecker checker = checker(1, false);
    admit(checker, 0, 10);
    admit(checker, 5 * SECOND, 5);
    checker.check();
    admit(checker, 5 * SECOND, 2); // one of them for the time until an answer is known
    assertThrows(AssertionError.class, checker::check);
  }

  @Test
  void lossOfState_andStepOfTheClock_countWhereTheyAre() {
    AdmittedChecker checker = checker(1, false);
    admit(checker, 0, 10);
    checker.lost(1000);
    admit(checker, 2000, 10);
    checker.clockForward(3000, 4 * SECOND);
    admit(checker, 4000, 4);
    checker.check();
    admit(checker, 100 * SECOND, 22); // nothing happened there
    assertThrows(AssertionError.class, checker::check);
  }

  @Test
  void oneNodeAlone_hasItsOwnBudgetOnce_notTheRateTwice() {
    AdmittedChecker checker = checker(1, true);
    admit(checker, 0, 20);
    for (int i = 1; i < 40; i++) {
      admit(checker, i * SECOND, 1);
    }
    checker.check();
    for (int i = 1; i < 40; i++) {
      admit(checker, i * SECOND, 1);
    }
    assertThrows(AssertionError.class, checker::check);
  }

  @Test
  void severalNodesAlone_addTheirShares() {
    AdmittedChecker checker = checker(2, true);
    for (int i = 0; i < 40; i++) {
      admit(checker, i * SECOND, 2);
    }
    checker.check();
    for (int i = 0; i < 40; i++) {
      admit(checker, i * SECOND, 1);
    }
    assertThrows(AssertionError.class, checker::check);
  }

  @Test
  void restart_givesANodeItsShareAgain_whereNodesDecideAlone() {
    AdmittedChecker checker = checker(1, true);
    admit(checker, 0, 21);
    checker.check();
    checker.restarted(0);
    admit(checker, 1, 10);
    checker.check();
    admit(checker, 1, 2);
    assertThrows(AssertionError.class, checker::check);
  }
}
