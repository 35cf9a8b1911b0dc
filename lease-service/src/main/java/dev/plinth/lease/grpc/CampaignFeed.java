package dev.plinth.lease.grpc;

import dev.plinth.lease.core.Acquired;
import dev.plinth.lease.core.News;
import dev.plinth.lease.v1.CampaignResponse;
import dev.plinth.lease.v1.CampaignResponse.Danger;
import dev.plinth.lease.v1.CampaignResponse.Deposed;
import dev.plinth.lease.v1.CampaignResponse.Standing;
import dev.plinth.lease.v1.HoldState;
import dev.plinth.shards.Feed;

/** {@code Campaign}. */
final class CampaignFeed extends FeedCaller<CampaignResponse> {
  CampaignFeed(Feed<CampaignResponse> feed) {
    super(feed);
  }

  /** A campaign waits for ever, so it ends elected or not at all. */
  @Override
  CampaignResponse message(Acquired outcome) {
    return CampaignResponse.newBuilder()
        .setElected(ElectionWire.response(outcome).getLeader())
        .build();
  }

  @Override
  CampaignResponse message(News news) {
    CampaignResponse.Builder message = CampaignResponse.newBuilder();
    if (news instanceof News.Queued queued) {
      Standing.Builder standing = Standing.newBuilder().setPosition(queued.position());
      ElectionWire.first(queued.holders()).ifPresent(standing::setLeader);
      message.setStanding(standing);
    } else if (news instanceof News.Jeopardy danger) {
      message.setDanger(
          Danger.newBuilder()
              .setState(HoldState.HOLD_STATE_JEOPARDY)
              .setLeft(LeaseWire.duration(danger.left())));
    } else if (news instanceof News.Safe) {
      message.setDanger(Danger.newBuilder().setState(HoldState.HOLD_STATE_SAFE));
    } else if (news instanceof News.Asked asked) {
      message.setDanger(
          Danger.newBuilder()
              .setState(HoldState.HOLD_STATE_SAFE)
              .setReleaseAsk(LeaseWire.ask(asked.lease()).orElseThrow()));
    } else if (news instanceof News.Lost lost) {
      message.setDeposed(
          Deposed.newBuilder()
              .setCause(LeaseWire.cause(lost.end().cause()))
              .setBy(lost.end().actor())
              .setReason(lost.end().reason()));
    }
    return message.build();
  }
}
