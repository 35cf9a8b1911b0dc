package dev.plinth.lease.grpc;

import dev.plinth.lease.core.Acquired;
import dev.plinth.lease.core.News;
import dev.plinth.lease.v1.AcquireStreamResponse;
import dev.plinth.lease.v1.AcquireStreamResponse.HoldNews;
import dev.plinth.lease.v1.AcquireStreamResponse.Lost;
import dev.plinth.lease.v1.AcquireStreamResponse.Queued;
import dev.plinth.lease.v1.HoldState;
import dev.plinth.shards.Feed;

/** {@code AcquireStream}. */
final class AcquireFeed extends FeedCaller<AcquireStreamResponse> {
  AcquireFeed(Feed<AcquireStreamResponse> feed) {
    super(feed);
  }

  @Override
  AcquireStreamResponse message(Acquired outcome) {
    return AcquireStreamResponse.newBuilder().setResult(AcquireWire.response(outcome)).build();
  }

  @Override
  AcquireStreamResponse message(News news) {
    AcquireStreamResponse.Builder message = AcquireStreamResponse.newBuilder();
    if (news instanceof News.Queued queued) {
      message.setQueued(
          Queued.newBuilder().setPosition(queued.position()).setHoldersTotal(queued.holderCount()));
    } else if (news instanceof News.Jeopardy danger) {
      message.setNews(
          HoldNews.newBuilder()
              .setState(HoldState.HOLD_STATE_JEOPARDY)
              .setLeft(LeaseWire.duration(danger.left())));
    } else if (news instanceof News.Safe) {
      message.setNews(HoldNews.newBuilder().setState(HoldState.HOLD_STATE_SAFE));
    } else if (news instanceof News.Asked asked) {
      message.setNews(
          HoldNews.newBuilder()
              .setState(HoldState.HOLD_STATE_SAFE)
              .setReleaseAsk(LeaseWire.ask(asked.lease()).orElseThrow()));
    } else if (news instanceof News.Lost lost) {
      message.setLost(
          Lost.newBuilder()
              .setCause(LeaseWire.cause(lost.end().cause()))
              .setActor(lost.end().actor())
              .setReason(lost.end().reason()));
    }
    return message.build();
  }
}
