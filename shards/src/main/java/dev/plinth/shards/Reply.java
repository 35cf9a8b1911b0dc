package dev.plinth.shards;

import dev.plinth.server.failure.Failure;

/** Where an answer goes. The first answer counts; later ones are dropped. */
public interface Reply<R> {
  /** Leaves when all that the answer may rest on is durable. */
  void send(Tx tx, R answer);

  /** A refusal; it too may rest on what is not durable yet, so it waits as an answer does. */
  void fail(Tx tx, Failure failure);

  /**
   * Leaves at once: for answers that rest only on what the caller knows to be durable, such as the
   * renewal of what it was granted.
   */
  void sendNow(R answer);

  /**
   * What the caller asked for is done by the transaction of now, though its call goes on: it is
   * never told from here on that its request had no effect.
   */
  default void hadEffect() {}

  /** The caller no longer waits. */
  boolean isAbandoned();
}
