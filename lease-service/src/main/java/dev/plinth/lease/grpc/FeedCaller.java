package dev.plinth.lease.grpc;

import dev.plinth.lease.core.Acquired;
import dev.plinth.lease.core.Caller;
import dev.plinth.lease.core.News;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Feed;
import dev.plinth.shards.Tx;

/** A stream from the wish for a key to the end of the hold; what it says is its heirs' matter. */
abstract class FeedCaller<M> implements Caller {
  private final Feed<M> feed;

  FeedCaller(Feed<M> feed) {
    this.feed = feed;
  }

  abstract M message(Acquired outcome);

  abstract M message(News news);

  @Override
  public final void answer(Acquired outcome, Tx tx) {
    feed.answer(tx, message(outcome));
    boolean holds = outcome instanceof Acquired.Granted || outcome instanceof Acquired.Reentered;
    if (!holds) {
      feed.end(tx);
    }
  }

  @Override
  public final void refuse(Failure why, Tx tx) {
    feed.fail(tx, why);
  }

  @Override
  public final boolean stays() {
    return true;
  }

  @Override
  public final void tell(News news, Tx tx) {
    feed.tell(tx, message(news));
    if (news instanceof News.Lost) {
      feed.end(tx);
    }
  }

  @Override
  public final boolean isGone() {
    return feed.isAbandoned();
  }
}
