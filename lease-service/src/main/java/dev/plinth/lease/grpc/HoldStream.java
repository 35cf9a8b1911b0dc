package dev.plinth.lease.grpc;

import dev.plinth.lease.core.AcquireListener;
import dev.plinth.lease.core.AcquireResult;
import dev.plinth.lease.core.HoldEvent;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.StreamReply;
import dev.plinth.shards.Tx;

/** A stream from the wish for a key to the end of the hold; what it says is its heirs' matter. */
abstract class HoldStream<M> implements AcquireListener {
  private final StreamReply<M> streamReply;

  HoldStream(StreamReply<M> streamReply) {
    this.streamReply = streamReply;
  }

  abstract M message(AcquireResult outcome);

  abstract M message(HoldEvent holdEvent);

  @Override
  public final void answer(AcquireResult outcome, Tx tx) {
    streamReply.answer(tx, message(outcome));
    boolean holds =
        outcome instanceof AcquireResult.Granted || outcome instanceof AcquireResult.Reentered;
    if (!holds) {
      streamReply.complete(tx);
    }
  }

  @Override
  public final void refuse(Failure why, Tx tx) {
    streamReply.fail(tx, why);
  }

  @Override
  public final boolean wantsEvents() {
    return true;
  }

  @Override
  public final void onEvent(HoldEvent holdEvent, Tx tx) {
    streamReply.send(tx, message(holdEvent));
    if (holdEvent instanceof HoldEvent.Lost) {
      streamReply.complete(tx);
    }
  }

  @Override
  public final boolean isGone() {
    return streamReply.isAbandoned();
  }
}
