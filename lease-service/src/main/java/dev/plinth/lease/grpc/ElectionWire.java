package dev.plinth.lease.grpc;

import com.google.protobuf.ByteString;
import dev.plinth.lease.core.AcquireCall;
import dev.plinth.lease.core.AcquireResult;
import dev.plinth.lease.core.AcquireSpec;
import dev.plinth.lease.core.KeyRequest;
import dev.plinth.lease.core.LeaseMode;
import dev.plinth.lease.core.LeaseName;
import dev.plinth.lease.core.LeaseOwner;
import dev.plinth.lease.core.LeaseView;
import dev.plinth.lease.core.WaitersView;
import dev.plinth.lease.v1.CampaignOnceRequest;
import dev.plinth.lease.v1.CampaignOnceResponse;
import dev.plinth.lease.v1.CampaignOnceResponse.Outcome;
import dev.plinth.lease.v1.CampaignRequest;
import dev.plinth.lease.v1.Candidate;
import dev.plinth.lease.v1.Leader;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.shards.grpc.ShardCall;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Candidacies, checked, and leadership on the wire. */
final class ElectionWire {
  private static final int MAX_ELECTION = 200;

  private ElectionWire() {}

  static LeaseName name(String namespace, String election) {
    return LeaseName.ofElection(namespace, FieldChecks.name("election", election, MAX_ELECTION));
  }

  static AcquireSpec candidacy(String namespace, CampaignRequest request) {
    return candidacy(
        name(namespace, request.getElection()),
        candidate(request.getCandidateId(), request.getSessionId()),
        Optional.empty(),
        request.getPriority(),
        request.getValue(),
        AcquireCall.ofStream());
  }

  static AcquireSpec candidacy(ShardCall<?, CampaignOnceRequest, ?> call) {
    CampaignOnceRequest request = call.request();
    return candidacy(
        name(call.namespace(), request.getElection()),
        candidate(request.getCandidateId(), request.getSessionId()),
        Optional.of(AcquireWire.wait(request.hasWait(), request.getWait())),
        request.getPriority(),
        request.getValue(),
        AcquireWire.nameOf(call));
  }

  private static LeaseOwner candidate(String id, String session) {
    return new LeaseOwner(
        FieldChecks.name("candidate_id", id, LeaseWire.MAX_OWNER), LeaseWire.session(session));
  }

  private static AcquireSpec candidacy(
      LeaseName name,
      LeaseOwner candidate,
      Optional<Duration> wait,
      int priority,
      ByteString value,
      AcquireCall call) {
    return new AcquireSpec(
        List.of(new KeyRequest(name, LeaseMode.EXCLUSIVE, 0)),
        candidate,
        Optional.empty(),
        Optional.empty(),
        wait,
        AcquireWire.priority(priority),
        LeaseWire.payload("value", value),
        call);
  }

  static CampaignOnceResponse response(AcquireResult result) {
    CampaignOnceResponse.Builder response = CampaignOnceResponse.newBuilder();
    if (result instanceof AcquireResult.Granted granted) {
      response.setOutcome(Outcome.OUTCOME_ELECTED).setLeader(leader(granted.leases().get(0)));
    } else if (result instanceof AcquireResult.Reentered again) {
      response.setOutcome(Outcome.OUTCOME_LEADING).setLeader(leader(again.lease()));
    } else if (result instanceof AcquireResult.Blocked blocked) {
      response.setOutcome(Outcome.OUTCOME_NOT_ELECTED);
      first(blocked.holders()).ifPresent(response::setLeader);
    } else if (result instanceof AcquireResult.Delayed delayed) {
      response
          .setOutcome(Outcome.OUTCOME_DELAYED)
          .setRetryAfter(FieldChecks.wire(delayed.retryAfter()));
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
        .setSince(FieldChecks.wire(lease.acquiredAt()))
        .setTtl(FieldChecks.wire(lease.ttl()))
        .build();
  }

  static Candidate candidate(WaitersView.InLine inLine) {
    return Candidate.newBuilder()
        .setCandidateId(inLine.spec().party().ownerId())
        .setSessionId(inLine.spec().party().sessionId())
        .setValue(ByteString.copyFrom(inLine.spec().payload()))
        .setPriority(inLine.spec().priority())
        .setWaited(FieldChecks.wire(inLine.waited()))
        .build();
  }
}
