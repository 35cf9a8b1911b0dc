package dev.plinth.shards;

/**
 * A decision on one app's state with an answer at once. What holds for a {@link Command} holds here
 * too; the answer leaves when all that it may rest on is durable.
 *
 * @param <S> the app's state
 * @param <R> the answer
 */
@FunctionalInterface
public interface StateFunction<S, R> {
  R apply(S state, Tx tx);

  default Command<S, R> asCommand() {
    return (state, tx, reply) -> reply.send(tx, apply(state, tx));
  }
}
