package dev.plinth.testkit.linear;

import dev.plinth.testkit.History.Operation;
import java.util.List;
import java.util.stream.Collectors;

/**
 * How far a search came: the end of the longest order it found, and what could not follow there.
 */
record SearchProgress<S, I, O>(
    List<Operation<I, O>> placed, S state, List<Operation<I, O>> stuck, int answered) {
  private static final int SHOWN = 12;

  @Override
  public String toString() {
    int shown = Math.min(stuck.size(), 2 * SHOWN);
    int left = Math.max(0, placed.size() - SHOWN);
    return "%d of %d answered operations in order, then none of %d can follow\n"
            .formatted(
                placed.stream().filter(op -> op.output().isPresent()).count(),
                answered,
                stuck.size())
        + (left == 0 ? "" : "  ... " + left + " before\n")
        + lines(placed.subList(left, placed.size()))
        + "  state: "
        + state
        + "\ncannot follow:\n"
        + lines(stuck.subList(0, shown))
        + (shown == stuck.size() ? "" : "  ... " + (stuck.size() - shown) + " more\n");
  }

  private String lines(List<Operation<I, O>> operations) {
    return operations.stream().map(op -> "  " + line(op) + "\n").collect(Collectors.joining());
  }

  /** Times in microseconds on the history's clock. */
  private String line(Operation<I, O> op) {
    return "%10d..%-10s client %d: %s -> %s"
        .formatted(
            op.invoked() / 1000,
            op.output().isPresent() ? String.valueOf(op.returned() / 1000) : "?",
            op.client(),
            op.input(),
            op.output().map(String::valueOf).orElse("?"));
  }
}
