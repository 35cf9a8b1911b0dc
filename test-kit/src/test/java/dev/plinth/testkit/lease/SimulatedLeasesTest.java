package dev.plinth.testkit.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.testkit.History.Operation;
import dev.plinth.testkit.lease.LeaseAnswer.Held;
import dev.plinth.testkit.lease.LeaseAnswer.Outcome;
import dev.plinth.testkit.linear.BruteForce;
import dev.plinth.testkit.linear.Linearizability;
import dev.plinth.testkit.linear.LinearizabilityResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

class SimulatedLeasesTest {
  private static final long PLENTY = 1_000_000;

  /** No false alarm: what a right server does is always found to be right. */
  @Test
  void rightServer_isNeverAccused() {
    for (int seed = 0; seed < 2_000; seed++) {
      LinearizabilityResult linearizabilityResult =
          judge(new SimulatedLeases(random(seed), 12).run(60));
      assertTrue(
          linearizabilityResult instanceof LinearizabilityResult.Linearizable,
          "seed " + seed + ": " + linearizabilityResult);
    }
  }

  @Test
  void longHistories_areDecided() {
    for (int seed = 0; seed < 5; seed++) {
      LinearizabilityResult linearizabilityResult =
          judge(new SimulatedLeases(random(seed), 300).run(5_000));
      assertTrue(
          linearizabilityResult instanceof LinearizabilityResult.Linearizable,
          "seed " + seed + ": " + linearizabilityResult);
    }
  }

  /** Small histories, most of them with one answer made wrong. */
  @Test
  void search_agreesWithBruteForce() {
    int bad = 0;
    for (int seed = 0; seed < 5_000; seed++) {
      List<Operation<LeaseCall, LeaseAnswer>> history =
          new SimulatedLeases(random(seed), 12).run(6);
      spoil(history, random(seed));
      boolean expected = BruteForce.linearizable(new LeaseModel(), history);
      LinearizabilityResult linearizabilityResult = judge(history);
      assertEquals(
          expected,
          linearizabilityResult instanceof LinearizabilityResult.Linearizable,
          "seed " + seed + linearizabilityResult);
      bad += expected ? 0 : 1;
    }
    assertTrue(bad > 1_000 && bad < 4_500, bad + " bad ones");
  }

  private static void spoil(
      List<Operation<LeaseCall, LeaseAnswer>> history, RandomGenerator random) {
    int at = random.nextInt(history.size());
    Operation<LeaseCall, LeaseAnswer> op = history.get(at);
    op.output()
        .ifPresent(
            answer ->
                history.set(
                    at,
                    new Operation<>(
                        op.client(),
                        op.input(),
                        op.invoked(),
                        op.returned(),
                        op.ending(),
                        Optional.of(wrong(answer, random)))));
  }

  private static LeaseAnswer wrong(LeaseAnswer answer, RandomGenerator random) {
    return switch (answer.outcome()) {
      case RENEWED -> LeaseAnswer.of(Outcome.LOST);
      case LOST -> LeaseAnswer.of(Outcome.RENEWED);
      case RELEASED, STILL_HELD -> LeaseAnswer.of(Outcome.NOT_HELD);
      case NOT_HELD -> LeaseAnswer.of(Outcome.RELEASED);
      case VALID -> LeaseAnswer.stale(random.nextLong(3));
      case STALE -> LeaseAnswer.of(Outcome.VALID);
      default -> LeaseAnswer.of(answer.outcome(), wrong(answer.holds(), random));
    };
  }

  private static List<Held> wrong(List<Held> holds, RandomGenerator random) {
    List<Held> changed = new ArrayList<>(holds);
    if (holds.isEmpty()) {
      changed.add(new Held("bob", 1, false, 1));
    } else {
      Held first = holds.get(0);
      changed.set(
          0,
          random.nextBoolean()
              ? new Held(first.owner(), Math.max(1, first.token() - 1), false, first.entries())
              : new Held(first.owner(), first.token(), first.shared(), first.entries() + 1));
    }
    return changed;
  }

  private static LinearizabilityResult judge(List<Operation<LeaseCall, LeaseAnswer>> history) {
    return Linearizability.check(new LeaseModel(), history, PLENTY);
  }

  private static RandomGenerator random(int seed) {
    return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
  }
}
