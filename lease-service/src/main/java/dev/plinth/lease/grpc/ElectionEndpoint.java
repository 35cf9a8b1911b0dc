package dev.plinth.lease.grpc;

import dev.plinth.lease.core.AcquireListener;
import dev.plinth.lease.core.AcquireSpec;
import dev.plinth.lease.core.HandoverResult;
import dev.plinth.lease.core.KeyView;
import dev.plinth.lease.core.LeaseName;
import dev.plinth.lease.core.LeaseView;
import dev.plinth.lease.core.Leases;
import dev.plinth.lease.core.ReleaseResult;
import dev.plinth.lease.core.WaitersView;
import dev.plinth.lease.v1.CampaignOnceRequest;
import dev.plinth.lease.v1.CampaignOnceResponse;
import dev.plinth.lease.v1.CampaignRequest;
import dev.plinth.lease.v1.CampaignResponse;
import dev.plinth.lease.v1.ElectionServiceGrpc;
import dev.plinth.lease.v1.GetLeaderRequest;
import dev.plinth.lease.v1.GetLeaderResponse;
import dev.plinth.lease.v1.ListCandidatesRequest;
import dev.plinth.lease.v1.ListCandidatesResponse;
import dev.plinth.lease.v1.ObserveRequest;
import dev.plinth.lease.v1.ObserveResponse;
import dev.plinth.lease.v1.ProclaimRequest;
import dev.plinth.lease.v1.ProclaimResponse;
import dev.plinth.lease.v1.ResignRequest;
import dev.plinth.lease.v1.ResignResponse;
import dev.plinth.lease.v1.TransferLeadershipRequest;
import dev.plinth.lease.v1.TransferLeadershipResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.shards.CommandPriority;
import dev.plinth.shards.MappedReply;
import dev.plinth.shards.grpc.ResumeToken;
import dev.plinth.shards.grpc.ShardCalls;
import dev.plinth.shards.grpc.ShardCalls.Mutation;
import dev.plinth.shards.grpc.SynchronizedStreamObserver;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * {@code plinth.lease.v1.ElectionService}: leadership is a hold, a candidate waits for it, and the
 * leader's value is its payload.
 */
public final class ElectionEndpoint extends ElectionServiceGrpc.ElectionServiceImplBase {
  private final ShardCalls<Leases> calls;

  public ElectionEndpoint(ShardCalls<Leases> calls) {
    this.calls = calls;
  }

  @Override
  public void campaign(CampaignRequest request, StreamObserver<CampaignResponse> to) {
    AcquireSpec candidacy = ElectionWire.candidacy(request);
    calls.mutatingStream(
        AcquireCalls.namespace(candidacy),
        (leases, tx, streamReply) ->
            leases.acquire(candidacy, new CampaignHoldStream(streamReply), tx),
        (leases, tx, reply) -> leases.abandon(candidacy, tx),
        new SynchronizedStreamObserver<>(to));
  }

  @Override
  public void campaignOnce(CampaignOnceRequest request, StreamObserver<CampaignOnceResponse> to) {
    AcquireSpec candidacy = ElectionWire.candidacy(request);
    String namespace = AcquireCalls.namespace(candidacy);
    // Sent again it may have less time left to wait.
    CampaignOnceRequest remembered =
        request.hasWait() ? request.toBuilder().clearWait().build() : request;
    CompletableFuture<CampaignOnceResponse> call =
        calls.mutate(
            new Mutation<>(
                namespace, request.getRequestId(), remembered, CampaignOnceResponse.parser()),
            (leases, tx, reply) ->
                leases.acquire(
                    candidacy,
                    AcquireListener.of(new MappedReply<>(reply, ElectionWire::response)),
                    tx),
            to);
    if (request.hasWait()) {
      calls.whenAbandoned(call, (leases, tx, reply) -> leases.abandon(candidacy, tx), namespace);
      if (candidacy.patient()) {
        calls.run(namespace, (leases, tx, reply) -> leases.rejoin(candidacy, tx));
      }
    }
  }

  @Override
  public void proclaim(ProclaimRequest request, StreamObserver<ProclaimResponse> to) {
    LeaseName name = ElectionWire.name(request.getNamespace(), request.getElection());
    long token = LeaseWire.token(request.getToken());
    byte[] value = LeaseWire.payload("value", request.getValue());
    String requestId = FieldChecks.requestId(request.getRequestId());
    calls.mutate(
        new Mutation<>(name.namespace(), requestId, request, ProclaimResponse.parser()),
        (leases, tx, reply) ->
            reply.send(
                tx, proclaimed(leases.updatePayload(name, token, Optional.empty(), value, tx))),
        to);
  }

  private static ProclaimResponse proclaimed(Optional<LeaseView> lease) {
    ProclaimResponse.Builder response = ProclaimResponse.newBuilder();
    lease.ifPresentOrElse(
        leads ->
            response
                .setOutcome(ProclaimResponse.Outcome.OUTCOME_PROCLAIMED)
                .setLeader(ElectionWire.leader(leads)),
        () -> response.setOutcome(ProclaimResponse.Outcome.OUTCOME_NOT_LEADER));
    return response.build();
  }

  @Override
  public void resign(ResignRequest request, StreamObserver<ResignResponse> to) {
    LeaseName name = ElectionWire.name(request.getNamespace(), request.getElection());
    long token = LeaseWire.token(request.getToken());
    String requestId = FieldChecks.requestId(request.getRequestId());
    calls.mutate(
        new Mutation<>(name.namespace(), requestId, request, ResignResponse.parser()),
        CommandPriority.URGENT,
        (leases, tx, reply) -> {
          boolean led = leases.release(name, token, tx) == ReleaseResult.RELEASED;
          reply.send(
              tx,
              ResignResponse.newBuilder()
                  .setOutcome(
                      led
                          ? ResignResponse.Outcome.OUTCOME_RESIGNED
                          : ResignResponse.Outcome.OUTCOME_NOT_LEADER)
                  .build());
        },
        to);
  }

  @Override
  public void transferLeadership(
      TransferLeadershipRequest request, StreamObserver<TransferLeadershipResponse> to) {
    LeaseName name = ElectionWire.name(request.getNamespace(), request.getElection());
    long token = LeaseWire.token(request.getToken());
    String candidate =
        FieldChecks.name("to_candidate_id", request.getToCandidateId(), LeaseWire.MAX_OWNER);
    String requestId = FieldChecks.requestId(request.getRequestId());
    calls.mutate(
        new Mutation<>(name.namespace(), requestId, request, TransferLeadershipResponse.parser()),
        (leases, tx, reply) ->
            reply.send(tx, transferred(leases.handOver(name, token, candidate, tx))),
        to);
  }

  private static TransferLeadershipResponse transferred(HandoverResult handoverResult) {
    TransferLeadershipResponse.Builder response = TransferLeadershipResponse.newBuilder();
    handoverResult.lease().map(ElectionWire::leader).ifPresent(response::setLeader);
    return response
        .setOutcome(
            handoverResult.lease().isPresent()
                ? TransferLeadershipResponse.Outcome.OUTCOME_TRANSFERRED
                : handoverResult.wasHeld()
                    ? TransferLeadershipResponse.Outcome.OUTCOME_NO_SUCH_CANDIDATE
                    : TransferLeadershipResponse.Outcome.OUTCOME_NOT_LEADER)
        .build();
  }

  @Override
  public void getLeader(GetLeaderRequest request, StreamObserver<GetLeaderResponse> to) {
    LeaseName name = ElectionWire.name(request.getNamespace(), request.getElection());
    calls.read(
        name.namespace(),
        CommandPriority.NORMAL,
        (leases, tx, reply) -> {
          KeyView key = leases.get(name, tx);
          GetLeaderResponse.Builder response =
              GetLeaderResponse.newBuilder().setTerm(leases.term(name));
          ElectionWire.first(key.holders()).ifPresent(response::setLeader);
          if (!key.barredFor().isZero()) {
            response.setDelayedFor(LeaseWire.duration(key.barredFor()));
          }
          reply.send(tx, response.build());
        },
        to);
  }

  @Override
  public void observe(ObserveRequest request, StreamObserver<ObserveResponse> to) {
    LeaseName name = ElectionWire.name(request.getNamespace(), request.getElection());
    int shard = calls.shardOf(name.namespace());
    calls.watch(
        shard,
        ResumeToken.after(request.getResumeToken(), shard),
        (leases, nanos) -> standing(leases, name, nanos),
        new ElectionWatch(
            shard,
            name.namespace() + "/" + name.key(),
            (ServerCallStreamObserver<ObserveResponse>) to));
  }

  private static ElectionWatch.Standing standing(Leases leases, LeaseName name, long nanos) {
    return new ElectionWatch.Standing(leases.leader(name, nanos), leases.term(name));
  }

  @Override
  public void listCandidates(
      ListCandidatesRequest request, StreamObserver<ListCandidatesResponse> to) {
    LeaseName name = ElectionWire.name(request.getNamespace(), request.getElection());
    calls.read(
        name.namespace(),
        CommandPriority.NORMAL,
        (leases, tx, reply) -> {
          WaitersView waiters = leases.waiters(name, LeaseWire.MAX_WAITERS, tx);
          reply.send(
              tx,
              ListCandidatesResponse.newBuilder()
                  .addAllCandidates(waiters.line().stream().map(ElectionWire::candidate).toList())
                  .setTotal(waiters.total())
                  .build());
        },
        to);
  }
}
