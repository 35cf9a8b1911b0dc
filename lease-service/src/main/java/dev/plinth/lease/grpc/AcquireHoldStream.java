package dev.plinth.lease.grpc;

import dev.plinth.lease.core.AcquireResult;
import dev.plinth.lease.core.HoldEvent;
import dev.plinth.lease.v1.AcquireStreamResponse;
import dev.plinth.lease.v1.AcquireStreamResponse.HoldNews;
import dev.plinth.lease.v1.AcquireStreamResponse.Lost;
import dev.plinth.lease.v1.AcquireStreamResponse.Queued;
import dev.plinth.lease.v1.HoldState;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.shards.StreamReply;

/** {@code AcquireStream}. */
final class AcquireHoldStream extends HoldStream<AcquireStreamResponse> {
  AcquireHoldStream(StreamReply<AcquireStreamResponse> streamReply) {
    super(streamReply);
  }

  @Override
  AcquireStreamResponse message(AcquireResult outcome) {
    return AcquireStreamResponse.newBuilder().setResult(AcquireWire.response(outcome)).build();
  }

  @Override
  AcquireStreamResponse message(HoldEvent holdEvent) {
    AcquireStreamResponse.Builder message = AcquireStreamResponse.newBuilder();
    if (holdEvent instanceof HoldEvent.Queued queued) {
      message.setQueued(
          Queued.newBuilder().setPosition(queued.position()).setHoldersTotal(queued.holderCount()));
    } else if (holdEvent instanceof HoldEvent.Jeopardy danger) {
      message.setNews(
          HoldNews.newBuilder()
              .setState(HoldState.HOLD_STATE_JEOPARDY)
              .setLeft(FieldChecks.wire(danger.left())));
    } else if (holdEvent instanceof HoldEvent.Safe) {
      message.setNews(HoldNews.newBuilder().setState(HoldState.HOLD_STATE_SAFE));
    } else if (holdEvent instanceof HoldEvent.Asked asked) {
      message.setNews(
          HoldNews.newBuilder()
              .setState(HoldState.HOLD_STATE_SAFE)
              .setReleaseAsk(LeaseWire.releaseNotice(asked.lease()).orElseThrow()));
    } else if (holdEvent instanceof HoldEvent.Lost lost) {
      message.setLost(
          Lost.newBuilder()
              .setCause(LeaseWire.CAUSES.of(lost.holdEnd().cause()))
              .setActor(lost.holdEnd().actor())
              .setReason(lost.holdEnd().reason()));
    }
    return message.build();
  }
}
