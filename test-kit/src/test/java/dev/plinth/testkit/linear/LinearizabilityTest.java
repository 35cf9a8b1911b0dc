package dev.plinth.testkit.linear;

import static dev.plinth.testkit.linear.RegisterModel.READ;
import static dev.plinth.testkit.linear.RegisterModel.replace;
import static dev.plinth.testkit.linear.RegisterModel.write;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.testkit.History.Ending;
import dev.plinth.testkit.History.Operation;
import dev.plinth.testkit.linear.RegisterModel.Call;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

class LinearizabilityTest {
  private static final RegisterModel REGISTER = new RegisterModel();
  private static final long PLENTY = 1_000_000;

  private final List<Operation<Call, Integer>> history = new ArrayList<>();

  @Test
  void oneAfterTheOther_mustBeAsTheModelSays() {
    ok(write(1), 1, 0, 1);
    ok(READ, 1, 2, 3);
    assertGood();
    ok(READ, 0, 4, 5);
    assertBad();
  }

  @Test
  void concurrentOnes_mayComeInAnyOrder() {
    ok(write(1), 1, 0, 10);
    ok(write(2), 1, 1, 9);
    ok(READ, 2, 11, 12);
    ok(READ, 2, 13, 14);
    assertGood();
    ok(READ, 1, 15, 16);
    assertBad();
  }

  @Test
  void readThatSawAWriteUnderWay_holdsForTheNextReadToo() {
    ok(write(1), 1, 0, 100);
    ok(READ, 1, 10, 20);
    assertGood();
    ok(READ, 0, 30, 40);
    assertBad();
  }

  @Test
  void lostUpdate_isFound() {
    ok(replace(0, 1), 1, 0, 10);
    ok(replace(0, 2), 1, 1, 11);
    assertBad();
  }

  @Test
  void unansweredOne_mayHaveItsEffectLate_orNever() {
    lost(write(7), 0);
    ok(READ, 0, 10, 11);
    assertGood();
    ok(READ, 7, 20, 21);
    assertGood();
    ok(READ, 0, 30, 31);
    assertBad();
  }

  @Test
  void unansweredOne_hasNoEffectBeforeItsStart() {
    ok(READ, 7, 0, 1);
    lost(write(7), 2);
    assertBad();
  }

  @Test
  void refusedOne_hasNone() {
    history.add(new Operation<>(0, write(7), 0, 1, Ending.FAILED, Optional.empty()));
    ok(READ, 0, 2, 3);
    assertGood();
    ok(READ, 7, 4, 5);
    assertBad();
  }

  @Test
  void outOfSteps_isUndecided_andFailsACheck() {
    for (int i = 0; i < 20; i++) {
      ok(write(i), 1, i, 1000 + i);
    }
    ok(READ, 99, 2000, 2001);
    LinearizabilityResult.Undecided verdict =
        assertInstanceOf(
            LinearizabilityResult.Undecided.class,
            Linearizability.check(REGISTER, history, 10_000));
    assertTrue(verdict.picture().contains("20 of 21 answered"), verdict.picture());
    AssertionError failure =
        assertThrows(
            AssertionError.class,
            () -> Linearizability.require(REGISTER, history, call -> "register"));
    assertTrue(failure.getMessage().startsWith("register is undecided"), failure.getMessage());
  }

  @Test
  void picture_showsHowFarItWent_andWhatCouldNotFollow() {
    for (int i = 1; i <= 30; i++) {
      ok(write(i), 1, 10 * i, 10 * i + 1);
    }
    ok(READ, 29, 1_000_000, 2_000_000);
    LinearizabilityResult.NotLinearizable verdict =
        assertInstanceOf(
            LinearizabilityResult.NotLinearizable.class,
            Linearizability.check(REGISTER, history, PLENTY));
    List<String> lines = verdict.picture().lines().toList();
    assertEquals("30 of 31 answered operations in order, then none of 1 can follow", lines.get(0));
    assertEquals("  ... 18 before", lines.get(1));
    assertEquals("  state: 30", lines.get(14));
    assertEquals("cannot follow:", lines.get(15));
    assertEquals("1000..2000", lines.get(16).strip().split(" ")[0]);
    assertEquals(17, lines.size());
  }

  @Test
  void parts_areJudgedEachForItself() {
    ok(write(1), 1, 0, 1);
    ok(READ, 1, 2, 3);
    assertThrows(
        AssertionError.class,
        () -> Linearizability.require(REGISTER, history, call -> call.kind().name()));
    assertDoesNotThrow(() -> Linearizability.require(REGISTER, history, call -> "all"));
  }

  /** Some ten thousand small histories, about as many good as bad. */
  @Test
  void search_agreesWithBruteForce() {
    int good = 0;
    for (int seed = 0; seed < 10_000; seed++) {
      List<Operation<Call, Integer>> random = randomHistory(seed);
      boolean expected = BruteForce.linearizable(REGISTER, random);
      LinearizabilityResult linearizabilityResult = Linearizability.check(REGISTER, random, PLENTY);
      assertEquals(
          expected,
          linearizabilityResult instanceof LinearizabilityResult.Linearizable,
          "seed " + seed + random);
      good += expected ? 1 : 0;
    }
    assertTrue(good > 2_000 && good < 8_000, good + " good ones");
  }

  private static List<Operation<Call, Integer>> randomHistory(int seed) {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    List<Operation<Call, Integer>> operations = new ArrayList<>();
    int size = random.nextInt(1, 7);
    for (int i = 0; i < size; i++) {
      Call call =
          switch (random.nextInt(3)) {
            case 0 -> READ;
            case 1 -> write(random.nextInt(3));
            default -> replace(random.nextInt(3), random.nextInt(3));
          };
      long invoked = random.nextInt(40) * 2L;
      boolean unknown = random.nextInt(5) == 0;
      long returned = unknown ? Long.MAX_VALUE : invoked + 1 + 2L * random.nextInt(15);
      int answer = call.kind() == RegisterModel.Kind.WRITE ? 1 : random.nextInt(2);
      operations.add(
          new Operation<>(
              i,
              call,
              invoked,
              returned,
              unknown ? Ending.UNKNOWN : Ending.OK,
              unknown ? Optional.empty() : Optional.of(answer)));
    }
    return operations;
  }

  private void ok(Call call, int answer, long invoked, long returned) {
    history.add(
        new Operation<>(history.size(), call, invoked, returned, Ending.OK, Optional.of(answer)));
  }

  private void lost(Call call, long invoked) {
    history.add(
        new Operation<>(
            history.size(), call, invoked, Long.MAX_VALUE, Ending.UNKNOWN, Optional.empty()));
  }

  private void assertGood() {
    assertInstanceOf(
        LinearizabilityResult.Linearizable.class, Linearizability.check(REGISTER, history, PLENTY));
    assertTrue(BruteForce.linearizable(REGISTER, history));
  }

  private void assertBad() {
    assertInstanceOf(
        LinearizabilityResult.NotLinearizable.class,
        Linearizability.check(REGISTER, history, PLENTY));
  }
}
