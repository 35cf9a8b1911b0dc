package dev.plinth.lease.grpc;

import static dev.plinth.server.call.FieldChecks.wire;

import dev.plinth.lease.core.AcquireSpec;
import dev.plinth.lease.core.HandoverResult;
import dev.plinth.lease.core.KeyView;
import dev.plinth.lease.core.LeaseName;
import dev.plinth.lease.core.Leases;
import dev.plinth.lease.core.ReleaseResult;
import dev.plinth.lease.core.WaitersView;
import dev.plinth.lease.v1.CampaignOnceRequest;
import dev.plinth.lease.v1.CampaignOnceResponse;
import dev.plinth.lease.v1.CampaignRequest;
import dev.plinth.lease.v1.CampaignResponse;
import dev.plinth.lease.v1.GetLeaderRequest;
import dev.plinth.lease.v1.GetLeaderResponse;
import dev.plinth.lease.v1.ListCandidatesRequest;
import dev.plinth.lease.v1.ListCandidatesResponse;
import dev.plinth.lease.v1.ProclaimRequest;
import dev.plinth.lease.v1.ProclaimResponse;
import dev.plinth.lease.v1.ResignRequest;
import dev.plinth.lease.v1.ResignResponse;
import dev.plinth.lease.v1.TransferLeadershipRequest;
import dev.plinth.lease.v1.TransferLeadershipResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.shards.StateFunction;
import dev.plinth.shards.grpc.ShardCall;
import java.util.Optional;

/**
 * The calls of elections: leadership is a hold, a candidate waits for it, and the leader's value is
 * its payload.
 */
final class ElectionCalls {
  private ElectionCalls() {}

  static void campaign(ShardCall<Leases, CampaignRequest, CampaignResponse> call) {
    AcquireSpec candidacy = ElectionWire.candidacy(call.namespace(), call.request());
    AcquireCalls.stream(
        call,
        candidacy,
        to -> new HoldStream<>(to, HoldStreamWire::elected, HoldStreamWire::campaignEvent));
  }

  static void campaignOnce(ShardCall<Leases, CampaignOnceRequest, CampaignOnceResponse> call) {
    AcquireSpec candidacy = ElectionWire.candidacy(call);
    AcquireCalls.acquire(call, candidacy, ElectionWire::response);
  }

  static StateFunction<Leases, ProclaimResponse> proclaim(
      String namespace, ProclaimRequest request) {
    LeaseName name = ElectionWire.name(namespace, request.getElection());
    long token = LeaseWire.token(request.getToken());
    byte[] value = LeaseWire.payload("value", request.getValue());
    return (leases, tx) ->
        leases
            .updatePayload(name, token, Optional.empty(), value, tx)
            .map(
                leads ->
                    ProclaimResponse.newBuilder()
                        .setOutcome(ProclaimResponse.Outcome.OUTCOME_PROCLAIMED)
                        .setLeader(ElectionWire.leader(leads)))
            .orElse(
                ProclaimResponse.newBuilder()
                    .setOutcome(ProclaimResponse.Outcome.OUTCOME_NOT_LEADER))
            .build();
  }

  static StateFunction<Leases, ResignResponse> resign(String namespace, ResignRequest request) {
    LeaseName name = ElectionWire.name(namespace, request.getElection());
    long token = LeaseWire.token(request.getToken());
    return (leases, tx) -> {
      boolean led = leases.release(name, token, tx) == ReleaseResult.RELEASED;
      return ResignResponse.newBuilder()
          .setOutcome(
              led
                  ? ResignResponse.Outcome.OUTCOME_RESIGNED
                  : ResignResponse.Outcome.OUTCOME_NOT_LEADER)
          .build();
    };
  }

  static StateFunction<Leases, TransferLeadershipResponse> transfer(
      String namespace, TransferLeadershipRequest request) {
    LeaseName name = ElectionWire.name(namespace, request.getElection());
    long token = LeaseWire.token(request.getToken());
    String to =
        FieldChecks.name("to_candidate_id", request.getToCandidateId(), LeaseWire.MAX_OWNER);
    return (leases, tx) -> transferred(leases.handOver(name, token, to, tx));
  }

  private static TransferLeadershipResponse transferred(HandoverResult handover) {
    TransferLeadershipResponse.Builder response = TransferLeadershipResponse.newBuilder();
    handover.lease().map(ElectionWire::leader).ifPresent(response::setLeader);
    return response
        .setOutcome(
            handover.lease().isPresent()
                ? TransferLeadershipResponse.Outcome.OUTCOME_TRANSFERRED
                : handover.wasHeld()
                    ? TransferLeadershipResponse.Outcome.OUTCOME_NO_SUCH_CANDIDATE
                    : TransferLeadershipResponse.Outcome.OUTCOME_NOT_LEADER)
        .build();
  }

  static StateFunction<Leases, GetLeaderResponse> getLeader(
      String namespace, GetLeaderRequest request) {
    LeaseName name = ElectionWire.name(namespace, request.getElection());
    return (leases, tx) -> {
      KeyView key = leases.get(name, tx);
      GetLeaderResponse.Builder response =
          GetLeaderResponse.newBuilder().setTerm(leases.term(name));
      ElectionWire.first(key.holders()).ifPresent(response::setLeader);
      if (!key.barredFor().isZero()) {
        response.setDelayedFor(wire(key.barredFor()));
      }
      return response.build();
    };
  }

  static StateFunction<Leases, ListCandidatesResponse> listCandidates(
      String namespace, ListCandidatesRequest request) {
    LeaseName name = ElectionWire.name(namespace, request.getElection());
    return (leases, tx) -> {
      WaitersView waiters = leases.waiters(name, LeaseWire.MAX_WAITERS, tx);
      return ListCandidatesResponse.newBuilder()
          .addAllCandidates(waiters.line().stream().map(ElectionWire::candidate).toList())
          .setTotal(waiters.total())
          .build();
    };
  }
}
