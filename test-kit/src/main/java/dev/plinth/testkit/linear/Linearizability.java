package dev.plinth.testkit.linear;

import dev.plinth.testkit.History.Ending;
import dev.plinth.testkit.History.Operation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Judges histories by the search of Wing and Gong, with Lowe's memory of where it has been. Parts
 * of a history that share nothing, such as keys, are judged each for itself, which is what makes
 * long histories feasible.
 */
public final class Linearizability {
  private static final long MAX_STEPS = 1_000_000;

  private Linearizability() {}

  /** Fails with a picture of the first part that no order explains, or that took too long. */
  public static <S, I, O> void require(
      SequentialModel<S, I, O> sequentialModel,
      List<Operation<I, O>> history,
      Function<I, String> part) {
    Map<String, List<Operation<I, O>>> parts =
        history.stream()
            .collect(
                Collectors.groupingBy(
                    operation -> part.apply(operation.input()),
                    LinkedHashMap::new,
                    Collectors.toList()));
    parts.forEach(
        (name, operations) -> require(name, check(sequentialModel, operations, MAX_STEPS)));
  }

  private static void require(String part, LinearizabilityResult linearizabilityResult) {
    if (linearizabilityResult instanceof LinearizabilityResult.NotLinearizable not) {
      throw new AssertionError(part + " is not linearizable: " + not.picture());
    }
    if (linearizabilityResult instanceof LinearizabilityResult.Undecided undecided) {
      throw new AssertionError(part + " is undecided: " + undecided.picture());
    }
  }

  /**
   * Judges one history as a whole. Refused operations had no effect and are left out.
   *
   * @param mostSteps after as many states tried, the verdict is Undecided
   */
  public static <S, I, O> LinearizabilityResult check(
      SequentialModel<S, I, O> sequentialModel, List<Operation<I, O>> history, long maxSteps) {
    List<Operation<I, O>> counting =
        history.stream().filter(operation -> operation.ending() != Ending.FAILED).toList();
    return new LinearizationSearch<>(sequentialModel, counting, maxSteps).run();
  }
}
