package dev.plinth.lease.core;

import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Reply;
import dev.plinth.shards.Tx;
import java.util.function.Function;

/** One who wished for keys and hears how that ends. */
public interface AcquireListener extends HoldListener {
  void answer(AcquireResult outcome, Tx tx);

  void refuse(Failure why, Tx tx);

  /** Wants the news of the line, and of the hold after the grant. */
  boolean wantsEvents();

  /** Its request was cancelled, which must be known for as long as that of a grant would be. */
  default void cancelled() {}

  /**
   * One that wants the answer and nothing more.
   *
   * @param response the answer as its caller is told
   */
  static <R> AcquireListener of(Reply<R> reply, Function<AcquireResult, R> response) {
    return new AcquireListener() {
      @Override
      public void cancelled() {
        reply.hadEffect();
      }

      @Override
      public void answer(AcquireResult outcome, Tx tx) {
        reply.send(tx, response.apply(outcome));
      }

      @Override
      public void refuse(Failure why, Tx tx) {
        reply.fail(tx, why);
      }

      @Override
      public boolean wantsEvents() {
        return false;
      }

      @Override
      public void onEvent(HoldEvent holdEvent, Tx tx) {}

      @Override
      public boolean isGone() {
        return reply.isAbandoned();
      }
    };
  }
}
