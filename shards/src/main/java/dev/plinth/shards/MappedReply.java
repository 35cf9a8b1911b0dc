package dev.plinth.shards;

import dev.plinth.server.failure.Failure;
import java.util.function.Function;

/** Answers in a command's own terms, for a caller that wants others. */
public record MappedReply<A, R>(Reply<R> to, Function<A, R> mapping) implements Reply<A> {
  @Override
  public void send(Tx tx, A answer) {
    to.send(tx, mapping.apply(answer));
  }

  @Override
  public void fail(Tx tx, Failure failure) {
    to.fail(tx, failure);
  }

  @Override
  public void sendNow(A answer) {
    to.sendNow(mapping.apply(answer));
  }

  @Override
  public void hadEffect() {
    to.hadEffect();
  }

  @Override
  public boolean isAbandoned() {
    return to.isAbandoned();
  }
}
