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

  /** Under which its wait can be cancelled; empty if it cannot. */
  default String requestId() {
    return "";
  }

  /**
   * One that wants the answer and nothing more.
   *
   * @param requestId under which its wait can be cancelled; empty if it cannot
   * @param response the answer as its caller is told
   */
  static <R> AcquireListener of(
      String requestId, Reply<R> reply, Function<AcquireResult, R> response) {
    return new AcquireListener() {
      @Override
      public String requestId() {
        return requestId;
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
