package dev.plinth.testkit.linear;

import dev.plinth.testkit.History.Operation;
import java.util.List;

/**
 * What a thing does when its operations come one after the other.
 *
 * @param <S> its state; compared by {@code equals}, so that the search knows where it has been
 */
public interface SequentialModel<S, I, O> {
  S initial();

  /**
   * The states that may follow when the operation has its effect in this one and is answered as it
   * was; none if it cannot have been. For one without an answer: the states it may have led to.
   * That it never had an effect is no business of the model.
   */
  List<S> apply(S state, Operation<I, O> operation);

  /**
   * Whether the operation only looks: where it fits and leaves the state as it is, it can be placed
   * at once, since whatever follows it could follow without it. That spares the search all orders
   * of questions that were asked at the same time.
   */
  default boolean isObservation(Operation<I, O> operation) {
    return false;
  }
}
