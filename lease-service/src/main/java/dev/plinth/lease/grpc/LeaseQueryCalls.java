package dev.plinth.lease.grpc;

import dev.plinth.lease.core.KeyView;
import dev.plinth.lease.core.LeaseName;
import dev.plinth.lease.core.LeasePage;
import dev.plinth.lease.core.Leases;
import dev.plinth.lease.core.WaitersView;
import dev.plinth.lease.v1.GetFenceRequest;
import dev.plinth.lease.v1.GetFenceResponse;
import dev.plinth.lease.v1.GetLeaseRequest;
import dev.plinth.lease.v1.GetLeaseResponse;
import dev.plinth.lease.v1.ListLeasesRequest;
import dev.plinth.lease.v1.ListLeasesResponse;
import dev.plinth.lease.v1.ListWaitersRequest;
import dev.plinth.lease.v1.ListWaitersResponse;
import dev.plinth.lease.v1.RaiseFenceRequest;
import dev.plinth.lease.v1.RaiseFenceResponse;
import dev.plinth.lease.v1.ValidateRequest;
import dev.plinth.lease.v1.ValidateResponse;
import dev.plinth.lease.v1.WatchRequest;
import dev.plinth.lease.v1.WatchResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.shards.CommandPriority;
import dev.plinth.shards.Tx;
import dev.plinth.shards.grpc.ResumeToken;
import dev.plinth.shards.grpc.ShardCalls;
import dev.plinth.shards.grpc.ShardCalls.Mutation;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

/** The calls that look at keys and fences, or wait for what happens to them. */
final class LeaseQueryCalls {
  private final ShardCalls<Leases> calls;

  LeaseQueryCalls(ShardCalls<Leases> calls) {
    this.calls = calls;
  }

  void raiseFence(RaiseFenceRequest request, StreamObserver<RaiseFenceResponse> to) {
    LeaseName resource = LeaseWire.resource(request.getNamespace(), request.getResource());
    long token = LeaseWire.token(request.getToken());
    String requestId = FieldChecks.requestId(request.getRequestId());
    calls.mutate(
        new Mutation<>(resource.namespace(), requestId, request, RaiseFenceResponse.parser()),
        (leases, tx, reply) -> {
          long floor = leases.raiseFence(resource, token, tx);
          reply.send(
              tx,
              RaiseFenceResponse.newBuilder().setAccepted(floor == token).setFloor(floor).build());
        },
        to);
  }

  void getFence(GetFenceRequest request, StreamObserver<GetFenceResponse> to) {
    LeaseName resource = LeaseWire.resource(request.getNamespace(), request.getResource());
    calls.read(
        resource.namespace(),
        CommandPriority.NORMAL,
        (leases, tx, reply) ->
            reply.send(tx, GetFenceResponse.newBuilder().setFloor(leases.fence(resource)).build()),
        to);
  }

  void validate(ValidateRequest request, StreamObserver<ValidateResponse> to) {
    LeaseName name = LeaseWire.name(request.getNamespace(), request.getKey());
    long token = LeaseWire.token(request.getToken());
    calls.read(
        name.namespace(),
        CommandPriority.NORMAL,
        (leases, tx, reply) -> reply.send(tx, validity(leases, name, token, tx)),
        to);
  }

  private static ValidateResponse validity(Leases leases, LeaseName name, long token, Tx tx) {
    ValidateResponse.Builder response = ValidateResponse.newBuilder();
    leases
        .validate(name, token, tx)
        .ifPresentOrElse(
            lease ->
                response
                    .setOutcome(ValidateResponse.Outcome.OUTCOME_VALID)
                    .setRemaining(LeaseWire.duration(lease.remaining())),
            () -> response.setOutcome(ValidateResponse.Outcome.OUTCOME_STALE));
    leases.newestToken(name).ifPresent(response::setCurrentToken);
    return response.build();
  }

  void getLease(GetLeaseRequest request, StreamObserver<GetLeaseResponse> to) {
    LeaseName name = LeaseWire.name(request.getNamespace(), request.getKey());
    calls.read(
        name.namespace(),
        CommandPriority.NORMAL,
        (leases, tx, reply) -> {
          KeyView view = leases.get(name, tx);
          GetLeaseResponse.Builder response =
              GetLeaseResponse.newBuilder()
                  .addAllHolders(LeaseWire.leases(view.holders()))
                  .setHoldersTotal(view.holderCount())
                  .setWaiters(view.waiters());
          if (!view.barredFor().isZero()) {
            response.setDelayedFor(LeaseWire.duration(view.barredFor()));
          }
          reply.send(tx, response.build());
        },
        to);
  }

  void listLeases(ListLeasesRequest request, StreamObserver<ListLeasesResponse> to) {
    String namespace = FieldChecks.namespace(request.getNamespace());
    String prefix = LeaseWire.prefix(request.getKeyPrefix());
    String owner = FieldChecks.optionalName("owner_id", request.getOwnerId(), LeaseWire.MAX_OWNER);
    int size = FieldChecks.between("page_size", request.getPageSize(), 0, 1000);
    LeasePage.Position after = LeasePageToken.parse(request.getPageToken());
    LeasePage.Request page =
        new LeasePage.Request(namespace, prefix, owner, after, size == 0 ? 50 : size);
    calls.read(
        namespace,
        CommandPriority.NORMAL,
        (leases, tx, reply) -> reply.send(tx, response(leases.list(page, tx))),
        to);
  }

  private static ListLeasesResponse response(LeasePage page) {
    ListLeasesResponse.Builder response =
        ListLeasesResponse.newBuilder().addAllLeases(LeaseWire.leases(page.leases()));
    page.next().ifPresent(last -> response.setNextPageToken(LeasePageToken.text(last)));
    return response.build();
  }

  void listWaiters(ListWaitersRequest request, StreamObserver<ListWaitersResponse> to) {
    LeaseName name = LeaseWire.name(request.getNamespace(), request.getKey());
    calls.read(
        name.namespace(),
        CommandPriority.NORMAL,
        (leases, tx, reply) -> {
          WaitersView waiters = leases.waiters(name, LeaseWire.MAX_WAITERS, tx);
          reply.send(
              tx,
              ListWaitersResponse.newBuilder()
                  .addAllWaiters(waiters.line().stream().map(LeaseWire::waiter).toList())
                  .setTotal(waiters.total())
                  .build());
        },
        to);
  }

  void watch(WatchRequest request, StreamObserver<WatchResponse> to) {
    String namespace = FieldChecks.namespace(request.getNamespace());
    String prefix = LeaseWire.prefix(request.getKeyPrefix());
    int shard = calls.shardOf(namespace);
    calls.watch(
        shard,
        ResumeToken.after(request.getResumeToken(), shard),
        (leases, nanos) -> new LeaseWatch.Snapshot(leases.snapshot(namespace, prefix, nanos)),
        new LeaseWatch(
            shard, namespace + "/" + prefix, (ServerCallStreamObserver<WatchResponse>) to));
  }
}
