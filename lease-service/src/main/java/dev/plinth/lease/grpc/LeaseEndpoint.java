package dev.plinth.lease.grpc;

import dev.plinth.lease.core.Acquire;
import dev.plinth.lease.core.KeyView;
import dev.plinth.lease.core.LeaseName;
import dev.plinth.lease.core.LeaseView;
import dev.plinth.lease.core.Leases;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.CloseSessionRequest;
import dev.plinth.lease.v1.CloseSessionResponse;
import dev.plinth.lease.v1.ConfirmRequest;
import dev.plinth.lease.v1.ConfirmResponse;
import dev.plinth.lease.v1.ForceReleaseRequest;
import dev.plinth.lease.v1.ForceReleaseResponse;
import dev.plinth.lease.v1.GetFenceRequest;
import dev.plinth.lease.v1.GetFenceResponse;
import dev.plinth.lease.v1.GetLeaseRequest;
import dev.plinth.lease.v1.GetLeaseResponse;
import dev.plinth.lease.v1.HeartbeatRequest;
import dev.plinth.lease.v1.HeartbeatResponse;
import dev.plinth.lease.v1.KeepSessionRequest;
import dev.plinth.lease.v1.KeepSessionResponse;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.ListLeasesRequest;
import dev.plinth.lease.v1.ListLeasesResponse;
import dev.plinth.lease.v1.ListWaitersRequest;
import dev.plinth.lease.v1.ListWaitersResponse;
import dev.plinth.lease.v1.OpenSessionRequest;
import dev.plinth.lease.v1.OpenSessionResponse;
import dev.plinth.lease.v1.RaiseFenceRequest;
import dev.plinth.lease.v1.RaiseFenceResponse;
import dev.plinth.lease.v1.ReleaseRequest;
import dev.plinth.lease.v1.ReleaseResponse;
import dev.plinth.lease.v1.RenewItem;
import dev.plinth.lease.v1.RenewRequest;
import dev.plinth.lease.v1.RenewResponse;
import dev.plinth.lease.v1.RenewResult;
import dev.plinth.lease.v1.TransferRequest;
import dev.plinth.lease.v1.TransferResponse;
import dev.plinth.lease.v1.UpdatePayloadRequest;
import dev.plinth.lease.v1.UpdatePayloadResponse;
import dev.plinth.lease.v1.ValidateRequest;
import dev.plinth.lease.v1.ValidateResponse;
import dev.plinth.lease.v1.WatchRequest;
import dev.plinth.lease.v1.WatchResponse;
import dev.plinth.server.call.Fields;
import dev.plinth.shards.Lane;
import dev.plinth.shards.MappedReply;
import dev.plinth.shards.Tx;
import dev.plinth.shards.grpc.ShardCalls;
import dev.plinth.shards.grpc.ShardCalls.Mutation;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** {@code plinth.lease.v1.LeaseService}. A namespace is the shard key of all that is in it. */
public final class LeaseEndpoint extends LeaseServiceGrpc.LeaseServiceImplBase {
  private static final int MOST_RENEWALS = 100;

  private final ShardCalls<Leases> calls;
  private final HoldCalls holds;

  public LeaseEndpoint(ShardCalls<Leases> calls) {
    this.calls = calls;
    this.holds = new HoldCalls(calls);
  }

  @Override
  public void openSession(OpenSessionRequest request, StreamObserver<OpenSessionResponse> to) {
    String namespace = Fields.namespace(request.getNamespace());
    String owner = Fields.name("owner_id", request.getOwnerId(), LeaseWire.MOST_OWNER);
    Duration ttl = LeaseWire.ttl(request.hasTtl() ? request.getTtl() : null);
    Duration delay = LeaseWire.lockDelay(request.hasLockDelay() ? request.getLockDelay() : null);
    String requestId = Fields.requestId(request.getRequestId());
    calls.mutate(
        new Mutation<>(namespace, requestId, request, OpenSessionResponse.parser()),
        (leases, tx, reply) ->
            reply.send(
                tx,
                OpenSessionResponse.newBuilder()
                    .setSessionId(leases.openSession(namespace, owner, ttl, delay, tx))
                    .setTtl(LeaseWire.duration(ttl))
                    .setHeartbeatInterval(LeaseWire.duration(ttl.dividedBy(3)))
                    .build()),
        to);
  }

  @Override
  public void heartbeat(HeartbeatRequest request, StreamObserver<HeartbeatResponse> to) {
    String namespace = Fields.namespace(request.getNamespace());
    String session = sessionId(request.getSessionId());
    calls.ask(
        namespace,
        Lane.URGENT,
        (leases, tx, reply) -> {
          Duration ttl = leases.heartbeat(namespace, session, tx);
          reply.sendNow(HeartbeatResponse.newBuilder().setTtl(LeaseWire.duration(ttl)).build());
        },
        to);
  }

  @Override
  public StreamObserver<KeepSessionRequest> keepSession(StreamObserver<KeepSessionResponse> to) {
    return new StreamObserver<>() {
      @Override
      public void onNext(KeepSessionRequest beat) {
        String namespace = Fields.namespace(beat.getNamespace());
        String session = sessionId(beat.getSessionId());
        calls.askWithin(
            namespace,
            Lane.URGENT,
            (leases, tx, reply) -> {
              Duration ttl = leases.heartbeat(namespace, session, tx);
              reply.sendNow(
                  KeepSessionResponse.newBuilder()
                      .setSeq(beat.getSeq())
                      .setTtl(LeaseWire.duration(ttl))
                      .build());
            },
            to);
      }

      @Override
      public void onError(Throwable thrown) {
        // The connection broke; the session lives on until its ttl, for the client to come back.
      }

      @Override
      public void onCompleted() {
        to.onCompleted();
      }
    };
  }

  @Override
  public void closeSession(CloseSessionRequest request, StreamObserver<CloseSessionResponse> to) {
    String namespace = Fields.namespace(request.getNamespace());
    String session = sessionId(request.getSessionId());
    String requestId = Fields.requestId(request.getRequestId());
    calls.mutate(
        new Mutation<>(namespace, requestId, request, CloseSessionResponse.parser()),
        (leases, tx, reply) ->
            reply.send(
                tx,
                CloseSessionResponse.newBuilder()
                    .setReleased(leases.closeSession(namespace, session, tx))
                    .build()),
        to);
  }

  @Override
  public void acquire(AcquireRequest request, StreamObserver<AcquireResponse> to) {
    Acquire wish = LeaseWire.acquire(request);
    String namespace = wish.name().namespace();
    CompletableFuture<AcquireResponse> call =
        calls.mutate(
            new Mutation<>(namespace, request.getRequestId(), request, AcquireResponse.parser()),
            (leases, tx, reply) ->
                leases.acquire(wish, tx, new MappedReply<>(reply, LeaseWire::response)),
            to);
    if (!wish.patience().isZero()) {
      calls.whenAbandoned(call, (leases, tx, reply) -> leases.abandon(wish.name(), tx), namespace);
    }
  }

  @Override
  public void renew(RenewRequest request, StreamObserver<RenewResponse> to) {
    String namespace = Fields.namespace(request.getNamespace());
    Fields.between("items", request.getItemsCount(), 1, MOST_RENEWALS);
    request.getItemsList().forEach(item -> LeaseWire.token(item.getToken()));
    calls.ask(
        namespace,
        Lane.URGENT,
        (leases, tx, reply) -> {
          RenewResponse.Builder response = RenewResponse.newBuilder();
          for (RenewItem item : request.getItemsList()) {
            LeaseName name = new LeaseName(namespace, item.getKey());
            response.addResults(renewed(leases.renew(name, item.getToken(), tx)));
          }
          reply.sendNow(response.build());
        },
        to);
  }

  private static RenewResult renewed(Optional<Duration> ttl) {
    RenewResult.Builder result = RenewResult.newBuilder();
    ttl.ifPresentOrElse(
        t -> result.setState(RenewResult.State.STATE_RENEWED).setTtl(LeaseWire.duration(t)),
        () -> result.setState(RenewResult.State.STATE_LOST));
    return result.build();
  }

  @Override
  public void release(ReleaseRequest request, StreamObserver<ReleaseResponse> to) {
    LeaseName name = LeaseWire.name(request.getNamespace(), request.getKey());
    long token = LeaseWire.token(request.getToken());
    String requestId = Fields.requestId(request.getRequestId());
    calls.mutate(
        new Mutation<>(name.namespace(), requestId, request, ReleaseResponse.parser()),
        (leases, tx, reply) -> reply.send(tx, LeaseWire.response(leases.release(name, token, tx))),
        to);
  }

  @Override
  public void transfer(TransferRequest request, StreamObserver<TransferResponse> to) {
    holds.transfer(request, to);
  }

  @Override
  public void confirm(ConfirmRequest request, StreamObserver<ConfirmResponse> to) {
    holds.confirm(request, to);
  }

  @Override
  public void updatePayload(
      UpdatePayloadRequest request, StreamObserver<UpdatePayloadResponse> to) {
    holds.updatePayload(request, to);
  }

  @Override
  public void forceRelease(ForceReleaseRequest request, StreamObserver<ForceReleaseResponse> to) {
    holds.forceRelease(request, to);
  }

  @Override
  public void raiseFence(RaiseFenceRequest request, StreamObserver<RaiseFenceResponse> to) {
    LeaseName resource = LeaseWire.resource(request.getNamespace(), request.getResource());
    long token = LeaseWire.token(request.getToken());
    String requestId = Fields.requestId(request.getRequestId());
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

  @Override
  public void getFence(GetFenceRequest request, StreamObserver<GetFenceResponse> to) {
    LeaseName resource = LeaseWire.resource(request.getNamespace(), request.getResource());
    calls.ask(
        resource.namespace(),
        Lane.NORMAL,
        (leases, tx, reply) ->
            reply.send(tx, GetFenceResponse.newBuilder().setFloor(leases.fence(resource)).build()),
        to);
  }

  @Override
  public void validate(ValidateRequest request, StreamObserver<ValidateResponse> to) {
    LeaseName name = LeaseWire.name(request.getNamespace(), request.getKey());
    long token = LeaseWire.token(request.getToken());
    calls.ask(
        name.namespace(),
        Lane.NORMAL,
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
    leases.get(name, tx).holders().stream()
        .mapToLong(LeaseView::token)
        .max()
        .ifPresent(response::setCurrentToken);
    return response.build();
  }

  @Override
  public void getLease(GetLeaseRequest request, StreamObserver<GetLeaseResponse> to) {
    LeaseName name = LeaseWire.name(request.getNamespace(), request.getKey());
    calls.ask(
        name.namespace(),
        Lane.NORMAL,
        (leases, tx, reply) -> {
          KeyView view = leases.get(name, tx);
          GetLeaseResponse.Builder response =
              GetLeaseResponse.newBuilder()
                  .addAllHolders(LeaseWire.leases(view.holders()))
                  .setWaiters(view.line().size());
          if (!view.barredFor().isZero()) {
            response.setDelayedFor(LeaseWire.duration(view.barredFor()));
          }
          reply.send(tx, response.build());
        },
        to);
  }

  @Override
  public void listLeases(ListLeasesRequest request, StreamObserver<ListLeasesResponse> to) {
    String namespace = Fields.namespace(request.getNamespace());
    int size = Fields.between("page_size", request.getPageSize(), 0, 1000);
    calls.ask(
        namespace,
        Lane.NORMAL,
        (leases, tx, reply) -> {
          List<LeaseView> rest =
              leases.list(namespace, request.getKeyPrefix(), request.getPageToken(), tx);
          reply.send(tx, page(rest, request.getOwnerId(), size == 0 ? 50 : size));
        },
        to);
  }

  /** A page ends at a key, never among its holders: the token is the last key on it. */
  private static ListLeasesResponse page(List<LeaseView> all, String owner, int size) {
    ListLeasesResponse.Builder page = ListLeasesResponse.newBuilder();
    String last = "";
    List<LeaseView> taken = new ArrayList<>();
    for (LeaseView lease : all) {
      if (taken.size() >= size && !lease.name().key().equals(last)) {
        page.setNextPageToken(last);
        break;
      }
      last = lease.name().key();
      if (owner.isEmpty() || owner.equals(lease.ownerId())) {
        taken.add(lease);
      }
    }
    return page.addAllLeases(LeaseWire.leases(taken)).build();
  }

  @Override
  public void listWaiters(ListWaitersRequest request, StreamObserver<ListWaitersResponse> to) {
    LeaseName name = LeaseWire.name(request.getNamespace(), request.getKey());
    calls.ask(
        name.namespace(),
        Lane.NORMAL,
        (leases, tx, reply) ->
            reply.send(
                tx,
                ListWaitersResponse.newBuilder()
                    .addAllWaiters(
                        leases.get(name, tx).line().stream().map(LeaseWire::waiter).toList())
                    .build()),
        to);
  }

  @Override
  public void watch(WatchRequest request, StreamObserver<WatchResponse> to) {
    String namespace = Fields.namespace(request.getNamespace());
    String prefix = request.getKeyPrefix();
    int shard = calls.shardOf(namespace);
    OptionalLong after =
        request.getResumeToken().isEmpty()
            ? OptionalLong.empty()
            : OptionalLong.of(ResumeToken.parse(request.getResumeToken(), shard).revision());
    calls.watch(
        shard,
        after,
        leases -> new LeaseWatch.Snapshot(leases.snapshot(namespace, prefix, System.nanoTime())),
        new LeaseWatch(
            shard, namespace + "/" + prefix, (ServerCallStreamObserver<WatchResponse>) to));
  }

  private static String sessionId(String value) {
    return Fields.name("session_id", value, LeaseWire.MOST_OWNER);
  }
}
