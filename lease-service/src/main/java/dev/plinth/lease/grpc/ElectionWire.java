package dev.plinth.lease.grpc;

import com.google.protobuf.ByteString;
import dev.plinth.lease.core.AcquireResult;
import dev.plinth.lease.core.AcquireSpec;
import dev.plinth.lease.core.KeyRequest;
import dev.plinth.lease.core.LeaseMode;
import dev.plinth.lease.core.LeaseName;
import dev.plinth.lease.core.LeaseView;
import dev.plinth.lease.core.WaitersView;
import dev.plinth.lease.v1.CampaignOnceRequest;
import dev.plinth.lease.v1.CampaignOnceResponse;
import dev.plinth.lease.v1.CampaignOnceResponse.Outcome;
import dev.plinth.lease.v1.CampaignRequest;
import dev.plinth.lease.v1.Candidate;
import dev.plinth.lease.v1.Leader;
import dev.plinth.server.call.FieldChecks;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Candidacies, checked, and leadership on the wire. */
final class ElectionWire {
  private static final int MAX_ELECTION = 200;

  private ElectionWire() {}

  static LeaseName name(String namespace, String election) {
    return LeaseName.ofElection(
        FieldChecks.namespace(namespace), FieldChecks.name("election", election, MAX_ELECTION));
  }

  static AcquireSpec candidacy(CampaignRequest request) {
    return new AcquireSpec(
        keyRequests(request.getNamespace(), request.getElection()),
        candidate(request.getCandidateId()),
        LeaseWire.session(request.getSessionId()),
        Optional.empty(),
        Optional.empty(),
        AcquireWire.priority(request.getPriority()),
        LeaseWire.payload("value", request.getValue()),
        Optional.empty(),
        true);
  }

  static AcquireSpec candidacy(CampaignOnceRequest request) {
    Duration wait = AcquireWire.wait(request.hasWait(), request.getWait());
    return new AcquireSpec(
        keyRequests(request.getNamespace(), request.getElection()),
        candidate(request.getCandidateId()),
        LeaseWire.session(request.getSessionId()),
        Optional.empty(),
        Optional.of(wait),
        AcquireWire.priority(request.getPriority()),
        LeaseWire.payload("value", request.getValue()),
        Optional.empty(),
        !FieldChecks.requestId(request.getRequestId()).isEmpty(),
        AcquireWire.callId(request.getRequestId()));
  }

  private static List<KeyRequest> keyRequests(String namespace, String election) {
    return List.of(new KeyRequest(name(namespace, election), LeaseMode.EXCLUSIVE, 0));
  }

  private static String candidate(String value) {
    return FieldChecks.name("candidate_id", value, LeaseWire.MAX_OWNER);
  }

  static CampaignOnceResponse response(AcquireResult acquireResult) {
    CampaignOnceResponse.Builder response = CampaignOnceResponse.newBuilder();
    if (acquireResult instanceof AcquireResult.Granted granted) {
      response.setOutcome(Outcome.OUTCOME_ELECTED).setLeader(leader(granted.leases().get(0)));
    } else if (acquireResult instanceof AcquireResult.Reentered again) {
      response.setOutcome(Outcome.OUTCOME_LEADING).setLeader(leader(again.lease()));
    } else if (acquireResult instanceof AcquireResult.Held held) {
      response.setOutcome(Outcome.OUTCOME_NOT_ELECTED);
      first(held.holders()).ifPresent(response::setLeader);
    } else if (acquireResult instanceof AcquireResult.TimedOut late) {
      response.setOutcome(Outcome.OUTCOME_NOT_ELECTED);
      first(late.holders()).ifPresent(response::setLeader);
    } else if (acquireResult instanceof AcquireResult.Delayed delayed) {
      response
          .setOutcome(Outcome.OUTCOME_DELAYED)
          .setRetryAfter(LeaseWire.duration(delayed.retryAfter()));
    }
    return response.build();
  }

  static Optional<Leader> first(List<LeaseView> holders) {
    return holders.stream().findFirst().map(ElectionWire::leader);
  }

  static Leader leader(LeaseView lease) {
    return Leader.newBuilder()
        .setCandidateId(lease.ownerId())
        .setSessionId(lease.sessionId())
        .setTerm(lease.term())
        .setToken(lease.token())
        .setValue(ByteString.copyFrom(lease.payload()))
        .setSince(LeaseWire.timestamp(lease.acquiredAt()))
        .setTtl(LeaseWire.duration(lease.ttl()))
        .build();
  }

  static Candidate candidate(WaitersView.InLine inLine) {
    return Candidate.newBuilder()
        .setCandidateId(inLine.spec().ownerId())
        .setSessionId(inLine.spec().sessionId())
        .setValue(ByteString.copyFrom(inLine.spec().payload()))
        .setPriority(inLine.spec().priority())
        .setWaited(LeaseWire.duration(inLine.waited()))
        .build();
  }
}
