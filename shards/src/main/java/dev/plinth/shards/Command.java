package dev.plinth.shards;

/**
 * A decision on one app's state. It runs alone, so it reads and changes the state as it likes, but
 * all its effects go through the transaction. It refuses by throwing a Failure, before it has
 * changed anything; whatever it throws after a change is a bug that costs the shard its memory: the
 * state is loaded anew from the rows.
 *
 * @param <S> the app's state
 * @param <R> the answer
 */
@FunctionalInterface
public interface Command<S, R> {
  /** Answers through {@code reply}, now or from a later command or timer. */
  void run(S state, Tx tx, Reply<R> reply);
}
