package dev.plinth.lease.grpc;

import dev.plinth.lease.core.AcquireResult;
import dev.plinth.lease.core.HoldEvent;
import dev.plinth.lease.v1.CampaignResponse;
import dev.plinth.lease.v1.CampaignResponse.Danger;
import dev.plinth.lease.v1.CampaignResponse.Deposed;
import dev.plinth.lease.v1.CampaignResponse.Standing;
import dev.plinth.lease.v1.HoldState;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.shards.StreamReply;

/** {@code Campaign}. */
final class CampaignHoldStream extends HoldStream<CampaignResponse> {
  CampaignHoldStream(StreamReply<CampaignResponse> streamReply) {
    super(streamReply);
  }

  /** A campaign waits for ever, so it ends elected or not at all. */
  @Override
  CampaignResponse message(AcquireResult outcome) {
    return CampaignResponse.newBuilder()
        .setElected(ElectionWire.response(outcome).getLeader())
        .build();
  }

  @Override
  CampaignResponse message(HoldEvent holdEvent) {
    CampaignResponse.Builder message = CampaignResponse.newBuilder();
    if (holdEvent instanceof HoldEvent.Queued queued) {
      Standing.Builder standing = Standing.newBuilder().setPosition(queued.position());
      ElectionWire.first(queued.holders()).ifPresent(standing::setLeader);
      message.setStanding(standing);
    } else if (holdEvent instanceof HoldEvent.Jeopardy danger) {
      message.setDanger(
          Danger.newBuilder()
              .setState(HoldState.HOLD_STATE_JEOPARDY)
              .setLeft(FieldChecks.wire(danger.left())));
    } else if (holdEvent instanceof HoldEvent.Safe) {
      message.setDanger(Danger.newBuilder().setState(HoldState.HOLD_STATE_SAFE));
    } else if (holdEvent instanceof HoldEvent.Asked asked) {
      message.setDanger(
          Danger.newBuilder()
              .setState(HoldState.HOLD_STATE_SAFE)
              .setReleaseAsk(LeaseWire.releaseNotice(asked.lease()).orElseThrow()));
    } else if (holdEvent instanceof HoldEvent.Lost lost) {
      message.setDeposed(
          Deposed.newBuilder()
              .setCause(LeaseWire.CAUSES.of(lost.holdEnd().cause()))
              .setBy(lost.holdEnd().actor())
              .setReason(lost.holdEnd().reason()));
    }
    return message.build();
  }
}
