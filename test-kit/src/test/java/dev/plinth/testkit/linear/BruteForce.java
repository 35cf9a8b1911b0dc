package dev.plinth.testkit.linear;

import dev.plinth.testkit.History.Ending;
import dev.plinth.testkit.History.Operation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Tries every order of every choice of unanswered operations, with no cleverness at all. */
public final class BruteForce {
  private BruteForce() {}

  public static <S, I, O> boolean linearizable(
      SequentialModel<S, I, O> sequentialModel, List<Operation<I, O>> history) {
    List<Operation<I, O>> counting =
        history.stream().filter(op -> op.ending() != Ending.FAILED).toList();
    return anyOrder(sequentialModel, new ArrayList<>(), counting);
  }

  private static <S, I, O> boolean anyOrder(
      SequentialModel<S, I, O> sequentialModel,
      List<Operation<I, O>> order,
      List<Operation<I, O>> left) {
    boolean complete = left.stream().allMatch(op -> op.ending() == Ending.UNKNOWN);
    if (complete && explains(sequentialModel, order)) {
      return true;
    }
    for (Operation<I, O> next : left) {
      List<Operation<I, O>> longer = new ArrayList<>(order);
      longer.add(next);
      List<Operation<I, O>> rest = new ArrayList<>(left);
      rest.remove(next);
      if (inRealTime(longer) && anyOrder(sequentialModel, longer, rest)) {
        return true;
      }
    }
    return false;
  }

  private static <I, O> boolean inRealTime(List<Operation<I, O>> order) {
    for (int i = 0; i < order.size(); i++) {
      for (int j = i + 1; j < order.size(); j++) {
        if (order.get(j).returned() < order.get(i).invoked()) {
          return false;
        }
      }
    }
    return true;
  }

  private static <S, I, O> boolean explains(
      SequentialModel<S, I, O> sequentialModel, List<Operation<I, O>> order) {
    Set<S> states = Set.of(sequentialModel.initial());
    for (Operation<I, O> op : order) {
      Set<S> next = new HashSet<>();
      states.forEach(state -> next.addAll(sequentialModel.apply(state, op)));
      states = next;
    }
    return !states.isEmpty();
  }
}
