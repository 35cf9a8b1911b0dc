package dev.plinth.lease.grpc;

import dev.plinth.lease.core.AcquireResult;
import dev.plinth.lease.core.HoldEvent;
import dev.plinth.lease.v1.AcquireStreamResponse;
import dev.plinth.lease.v1.CampaignResponse;
import dev.plinth.lease.v1.HoldState;
import dev.plinth.server.call.FieldChecks;

/** The messages of {@code AcquireStream} and {@code Campaign}. */
final class HoldStreamWire {
  private HoldStreamWire() {}

  static AcquireStreamResponse acquired(AcquireResult result) {
    return AcquireStreamResponse.newBuilder().setResult(AcquireWire.response(result)).build();
  }

  static AcquireStreamResponse acquireEvent(HoldEvent event) {
    AcquireStreamResponse.Builder message = AcquireStreamResponse.newBuilder();
    if (event instanceof HoldEvent.Queued queued) {
      message
          .getQueuedBuilder()
          .setPosition(queued.position())
          .setHoldersTotal(queued.holderCount());
    } else if (event instanceof HoldEvent.Lost lost) {
      message
          .getLostBuilder()
          .setCause(LeaseWire.CAUSES.of(lost.holdEnd().cause()))
          .setActor(lost.holdEnd().actor())
          .setReason(lost.holdEnd().reason());
    } else {
      var news = message.getNewsBuilder().setState(state(event));
      if (event instanceof HoldEvent.Jeopardy danger) {
        news.setLeft(FieldChecks.wire(danger.left()));
      } else if (event instanceof HoldEvent.Asked asked) {
        news.setReleaseAsk(LeaseWire.releaseNotice(asked.lease()).orElseThrow());
      }
    }
    return message.build();
  }

  /** A campaign waits for ever, so it ends elected or not at all. */
  static CampaignResponse elected(AcquireResult result) {
    return CampaignResponse.newBuilder()
        .setElected(ElectionWire.response(result).getLeader())
        .build();
  }

  static CampaignResponse campaignEvent(HoldEvent event) {
    CampaignResponse.Builder message = CampaignResponse.newBuilder();
    if (event instanceof HoldEvent.Queued queued) {
      var standing = message.getStandingBuilder().setPosition(queued.position());
      ElectionWire.first(queued.holders()).ifPresent(standing::setLeader);
    } else if (event instanceof HoldEvent.Lost lost) {
      message
          .getDeposedBuilder()
          .setCause(LeaseWire.CAUSES.of(lost.holdEnd().cause()))
          .setBy(lost.holdEnd().actor())
          .setReason(lost.holdEnd().reason());
    } else {
      var danger = message.getDangerBuilder().setState(state(event));
      if (event instanceof HoldEvent.Jeopardy jeopardy) {
        danger.setLeft(FieldChecks.wire(jeopardy.left()));
      } else if (event instanceof HoldEvent.Asked asked) {
        danger.setReleaseAsk(LeaseWire.releaseNotice(asked.lease()).orElseThrow());
      }
    }
    return message.build();
  }

  /** Of a hold that goes on. */
  private static HoldState state(HoldEvent event) {
    return event instanceof HoldEvent.Jeopardy
        ? HoldState.HOLD_STATE_JEOPARDY
        : HoldState.HOLD_STATE_SAFE;
  }
}
