package dev.plinth.simulation.workload.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.testkit.HoldChecker.Hold;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BeliefCheckerTest {
  private final List<String> violations = new ArrayList<>();
  private final BeliefChecker checker = new BeliefChecker(violations::add);

  private static final class Grant implements Belief {
    final long token;
    String key = "key";
    boolean shared;
    boolean alive = true;
    boolean believed; // once another has come; when granted, all do
    int looks;
    boolean givenBack;
    boolean prompt = true;
    int told = 1;
    long granted;

    Grant(long token) {
      this.token = token;
      this.granted = token * 10;
    }

    @Override
    public String key() {
      return key;
    }

    @Override
    public long token() {
      return token;
    }

    @Override
    public boolean isShared() {
      return shared;
    }

    @Override
    public boolean isAlive() {
      return alive;
    }

    @Override
    public boolean isBelieved() {
      return looks++ == 0 || believed;
    }

    @Override
    public boolean isGivenBack() {
      return givenBack;
    }

    @Override
    public int told() {
      return told;
    }

    @Override
    public boolean isPrompt() {
      return prompt;
    }

    @Override
    public Hold hold() {
      return new Hold(key, "client", token, granted - 1, granted, granted + 5);
    }
  }

  private List<String> after(Grant first) {
    checker.granted(first);
    checker.granted(new Grant(2));
    return violations;
  }

  @Test
  void oneAfterTheOther_isRight() {
    assertEquals(List.of(), after(new Grant(1)));
    checker.checkAll();
  }

  @Test
  void oneThatStillBelieves_isSeen() {
    Grant first = new Grant(1);
    first.believed = true;
    assertTrue(after(first).toString().contains("two believe"));
  }

  @Test
  void oneThatStillBelieves_mayDoSoOfAnotherKey_orShared_orDead() {
    Grant other = new Grant(1);
    other.key = "other";
    other.believed = true;
    assertEquals(List.of(), after(other));
    Grant dead = new Grant(3);
    dead.believed = true;
    dead.alive = false;
    checker.granted(dead);
    Grant shared = new Grant(4);
    shared.shared = true;
    shared.believed = true;
    checker.granted(shared);
    Grant beside = new Grant(5);
    beside.shared = true;
    checker.granted(beside);
    assertEquals(List.of(), violations);
    checker.granted(new Grant(6));
    assertTrue(violations.toString().contains("two believe"));
  }

  @Test
  void lossThatWasNotTold_isSeen_unlessItWasGivenBack_orNobodyCouldTell() {
    Grant givenBack = new Grant(1);
    givenBack.told = 0;
    givenBack.givenBack = true;
    assertEquals(List.of(), after(givenBack));
    Grant paused = new Grant(3);
    paused.told = 0;
    paused.prompt = false;
    checker.granted(paused);
    Grant silent = new Grant(4);
    silent.told = 0;
    checker.granted(silent);
    assertEquals(List.of(), violations);
    checker.granted(new Grant(5));
    assertTrue(violations.toString().contains("was not told"));
  }

  @Test
  void lossThatWasToldTwice_isSeen() {
    Grant first = new Grant(1);
    first.told = 2;
    assertTrue(after(first).toString().contains("twice"));
  }

  @Test
  void tokenThatFalls_isSeen() {
    checker.granted(new Grant(2));
    Grant late = new Grant(1);
    late.granted = 1000;
    checker.granted(late);
    assertThrows(AssertionError.class, checker::checkAll);
  }
}
