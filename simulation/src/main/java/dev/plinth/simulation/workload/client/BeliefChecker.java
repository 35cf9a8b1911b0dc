package dev.plinth.simulation.workload.client;

import dev.plinth.testkit.HoldChecker;
import dev.plinth.testkit.HoldChecker.Hold;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;

/**
 * Judges what clients believe of leases, at the moment another grant is known: none of the others
 * believes to hold the key then, and each that did not give it back was told.
 */
final class BeliefChecker {
  private final Consumer<String> violations;
  private final List<Belief> held = new ArrayList<>();
  private final List<Hold> ended = new ArrayList<>();

  BeliefChecker(Consumer<String> violations) {
    this.violations = violations;
  }

  void granted(Belief next) {
    if (!next.isBelieved()) { // it came when its time was over, or after a sleep
      ended.add(next.hold());
      return;
    }
    for (Iterator<Belief> others = held.iterator(); others.hasNext(); ) {
      Belief other = others.next();
      boolean apart = !other.isShared() || !next.isShared();
      if (!other.isAlive()) {
        others.remove();
        ended.add(other.hold());
      } else if (apart && other.key().equals(next.key()) && other.token() != next.token()) {
        check(other, next);
        others.remove();
        ended.add(other.hold());
      }
    }
    held.add(next);
  }

  private void check(Belief other, Belief next) {
    if (other.isBelieved()) {
      violations.accept("two believe to hold a key:\n  " + other + "\n  " + next);
    } else if (!other.isGivenBack() && other.told() == 0 && other.isPrompt()) {
      violations.accept("a loss was not told before the next grant:\n  " + other + "\n  " + next);
    }
    if (other.told() > 1) {
      violations.accept("a loss was told twice: " + other);
    }
  }

  /** Tokens of the grants of one namespace rise, and stretches of belief do not overlap. */
  void checkAll() {
    held.forEach(each -> ended.add(each.hold()));
    held.clear();
    HoldChecker.check(ended);
  }
}
