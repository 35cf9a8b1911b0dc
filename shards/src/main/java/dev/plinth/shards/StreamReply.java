package dev.plinth.shards;

import dev.plinth.server.failure.Failure;

/**
 * Messages for one caller over time. Each message leaves when all that it may rest on is durable,
 * in the order told. When the shard goes away the stream behind it ends with the reason.
 */
public interface StreamReply<M> {
  void send(Tx tx, M message);

  /**
   * Like {@link #send}, for the message that says what the caller's request led to. Should the
   * outcome of this transaction stay unknown, the caller is not told that there was none.
   */
  void answer(Tx tx, M message);

  /** Nothing more will come. */
  void complete(Tx tx);

  void fail(Tx tx, Failure why);

  /** The caller no longer listens. */
  boolean isAbandoned();
}
