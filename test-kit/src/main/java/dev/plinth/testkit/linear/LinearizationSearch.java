package dev.plinth.testkit.linear;

import dev.plinth.testkit.History.Ending;
import dev.plinth.testkit.History.Operation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/**
 * One search for an order. At each point an operation may come next if none of those left returned
 * before it was invoked. A set of operations placed and the state they led to is tried once only,
 * by whatever order it is reached again.
 */
final class LinearizationSearch<S, I, O> {
  /** All answered ones below the first are placed, so that a long history costs no more here. */
  private record Configuration<S>(int first, BitSet beyond, BitSet unanswered, S state) {}

  /** A point in the order, and what is left to try from here. */
  private final class Point {
    final S state;
    final List<Integer> candidates;
    private int tried;
    private Iterator<S> states = List.<S>of().iterator();

    Point(S state) {
      this.state = state;
      List<Integer> all = candidates();
      this.candidates =
          all.stream().filter(i -> isFree(state, i)).findFirst().map(List::of).orElse(all);
    }

    /** The operation that the point after this one has placed. */
    int placing() {
      return candidates.get(tried - 1);
    }

    /** Places the next operation that leads to somewhere new; null if there is none. */
    Point next() {
      while (true) {
        while (states.hasNext()) {
          S next = states.next();
          placed.set(placing());
          steps++;
          if (seen.add(configuration(next))) {
            return new Point(next);
          }
          placed.clear(placing());
        }
        if (tried == candidates.size()) {
          return null;
        }
        states = sequentialModel.apply(state, operations.get(candidates.get(tried++))).iterator();
      }
    }
  }

  private final SequentialModel<S, I, O> sequentialModel;
  private final long maxSteps;
  // The answered ones first, in the order of their invocation; then the others.
  private final List<Operation<I, O>> operations = new ArrayList<>();
  private final int answered;
  private final BitSet placed = new BitSet();
  private final Set<Configuration<S>> seen = new HashSet<>();
  private final Deque<Point> path = new ArrayDeque<>();
  private SearchProgress<S, I, O> farthest;
  private long steps;

  LinearizationSearch(
      SequentialModel<S, I, O> sequentialModel, List<Operation<I, O>> history, long maxSteps) {
    this.sequentialModel = sequentialModel;
    this.maxSteps = maxSteps;
    history.stream()
        .sorted(
            Comparator.comparing((Operation<I, O> op) -> op.ending() == Ending.UNKNOWN)
                .thenComparingLong(Operation::invoked))
        .forEach(operations::add);
    answered = (int) history.stream().filter(op -> op.ending() == Ending.OK).count();
  }

  LinearizabilityResult run() {
    path.push(new Point(sequentialModel.initial()));
    while (placed.nextClearBit(0) < answered) {
      if (steps >= maxSteps) {
        remember();
        return new LinearizabilityResult.Undecided(steps + " steps; farthest so far:\n" + farthest);
      }
      Point next = path.peek().next();
      if (next != null) {
        path.push(next);
        continue;
      }
      remember();
      path.pop();
      if (path.isEmpty()) {
        return new LinearizabilityResult.NotLinearizable(farthest.toString());
      }
      placed.clear(path.peek().placing());
    }
    return new LinearizabilityResult.Linearizable(steps);
  }

  private boolean isFree(S state, int index) {
    Operation<I, O> operation = operations.get(index);
    return sequentialModel.isObservation(operation)
        && sequentialModel.apply(state, operation).equals(List.of(state));
  }

  private Configuration<S> configuration(S state) {
    int first = Math.min(placed.nextClearBit(0), answered);
    return new Configuration<>(
        first, placed.get(first, answered), placed.get(answered, operations.size()), state);
  }

  private void remember() {
    if (farthest == null || farthest.placed().size() < path.size() - 1) {
      List<Operation<I, O>> order = new ArrayList<>();
      path.descendingIterator()
          .forEachRemaining(
              point -> {
                if (point != path.peek()) {
                  order.add(operations.get(point.placing()));
                }
              });
      Point last = path.peek();
      farthest =
          new SearchProgress<>(
              order, last.state, last.candidates.stream().map(operations::get).toList(), answered);
    }
  }

  /**
   * What may come next. Those without an answer come last: mostly they explain nothing, and each
   * that is placed in vain costs a detour.
   */
  private List<Integer> candidates() {
    List<Integer> open = new ArrayList<>();
    long firstReturn = Long.MAX_VALUE;
    for (int i = placed.nextClearBit(0);
        i < answered && operations.get(i).invoked() < firstReturn;
        i = placed.nextClearBit(i + 1)) {
      open.add(i);
      firstReturn = Math.min(firstReturn, operations.get(i).returned());
    }
    for (int i = placed.nextClearBit(answered);
        i < operations.size() && operations.get(i).invoked() < firstReturn;
        i = placed.nextClearBit(i + 1)) {
      open.add(i);
    }
    long before = firstReturn;
    open.removeIf(i -> operations.get(i).invoked() > before);
    return open;
  }
}
