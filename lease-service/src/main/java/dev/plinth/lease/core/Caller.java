package dev.plinth.lease.core;

import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Reply;
import dev.plinth.shards.Tx;

/** One who wished for keys and hears how that ends. */
public interface Caller extends Follower {
  void answer(Acquired outcome, Tx tx);

  void refuse(Failure why, Tx tx);

  /** Wants the news of the line, and of the hold after the grant. */
  boolean stays();

  /** Under which its wait can be cancelled; empty if it cannot. */
  default String requestId() {
    return "";
  }

  /** One that wants the answer and nothing more. */
  static Caller of(Reply<Acquired> reply) {
    return of("", reply);
  }

  static Caller of(String requestId, Reply<Acquired> reply) {
    return new Caller() {
      @Override
      public String requestId() {
        return requestId;
      }

      @Override
      public void answer(Acquired outcome, Tx tx) {
        reply.send(tx, outcome);
      }

      @Override
      public void refuse(Failure why, Tx tx) {
        reply.fail(tx, why);
      }

      @Override
      public boolean stays() {
        return false;
      }

      @Override
      public void tell(News news, Tx tx) {}

      @Override
      public boolean isGone() {
        return reply.isAbandoned();
      }
    };
  }
}
