package dev.plinth.lease.grpc;

import dev.plinth.lease.core.AcquireListener;
import dev.plinth.lease.core.AcquireResult;
import dev.plinth.lease.core.HoldEvent;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.StreamReply;
import dev.plinth.shards.Tx;
import java.util.function.Function;

/**
 * A stream from the request for a key to the end of the hold.
 *
 * @param result the message of how the request ended
 * @param event the message of what happens before and after
 */
record HoldStream<M>(
    StreamReply<M> to, Function<AcquireResult, M> result, Function<HoldEvent, M> event)
    implements AcquireListener {
  @Override
  public void answer(AcquireResult outcome, Tx tx) {
    to.answer(tx, result.apply(outcome));
    boolean holds =
        outcome instanceof AcquireResult.Granted || outcome instanceof AcquireResult.Reentered;
    if (!holds) {
      to.complete(tx);
    }
  }

  @Override
  public void refuse(Failure why, Tx tx) {
    to.fail(tx, why);
  }

  @Override
  public boolean wantsEvents() {
    return true;
  }

  @Override
  public void onEvent(HoldEvent holdEvent, Tx tx) {
    to.send(tx, event.apply(holdEvent));
    if (holdEvent instanceof HoldEvent.Lost) {
      to.complete(tx);
    }
  }

  @Override
  public boolean isGone() {
    return to.isAbandoned();
  }
}
