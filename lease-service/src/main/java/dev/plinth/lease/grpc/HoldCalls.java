package dev.plinth.lease.grpc;

import dev.plinth.lease.core.LeaseName;
import dev.plinth.lease.core.LeaseView;
import dev.plinth.lease.core.Leases;
import dev.plinth.lease.v1.ConfirmRequest;
import dev.plinth.lease.v1.ConfirmResponse;
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
import dev.plinth.server.call.FieldChecks;
import dev.plinth.shards.CommandPriority;
import dev.plinth.shards.grpc.ShardCalls;
import dev.plinth.shards.grpc.ShardCalls.Mutation;
import io.grpc.stub.StreamObserver;
import java.util.Optional;

/** The calls that renew, change or end a hold under its token. */
final class HoldCalls {
  private static final int MAX_RENEWALS = 100;

  private final ShardCalls<Leases> calls;

  HoldCalls(ShardCalls<Leases> calls) {
    this.calls = calls;
  }

  void renew(RenewRequest request, StreamObserver<RenewResponse> to) {
    String namespace = FieldChecks.namespace(request.getNamespace());
    FieldChecks.between("items", request.getItemsCount(), 1, MAX_RENEWALS);
    for (int i = 0; i < request.getItemsCount(); i++) {
      String path = "items[" + i + "].";
      FieldChecks.name(path + "key", request.getItems(i).getKey(), LeaseWire.MAX_KEY);
      LeaseWire.token(path + "token", request.getItems(i).getToken());
    }
    calls.read(
        namespace,
        CommandPriority.URGENT,
        (leases, tx, reply) -> {
          RenewResponse.Builder response = RenewResponse.newBuilder();
          for (RenewItem item : request.getItemsList()) {
            LeaseName name = new LeaseName(namespace, item.getKey());
            response.addResults(renewed(leases.renew(name, item.getToken(), tx)));
          }
          boolean kept =
              response.getResultsList().stream()
                  .allMatch(result -> result.getState() == RenewResult.State.STATE_RENEWED);
          // That a hold ended may not be durable yet; its grant is, since the caller knows of it.
          if (kept) {
            reply.sendNow(response.build());
          } else {
            reply.send(tx, response.build());
          }
        },
        to);
  }

  private static RenewResult renewed(Optional<LeaseView> lease) {
    RenewResult.Builder result = RenewResult.newBuilder();
    lease.ifPresentOrElse(
        kept -> {
          // Not the ttl: a session's hold has what is left to the session, whatever was asked here.
          result
              .setState(RenewResult.State.STATE_RENEWED)
              .setTtl(LeaseWire.duration(kept.remaining()));
          LeaseWire.releaseNotice(kept).ifPresent(result::setReleaseAsk);
        },
        () -> result.setState(RenewResult.State.STATE_LOST));
    return result.build();
  }

  void release(ReleaseRequest request, StreamObserver<ReleaseResponse> to) {
    LeaseName name = LeaseWire.name(request.getNamespace(), request.getKey());
    long token = LeaseWire.token(request.getToken());
    String requestId = FieldChecks.requestId(request.getRequestId());
    calls.mutate(
        new Mutation<>(name.namespace(), requestId, request, ReleaseResponse.parser()),
        CommandPriority.URGENT,
        (leases, tx, reply) -> reply.send(tx, LeaseWire.response(leases.release(name, token, tx))),
        to);
  }

  void transfer(TransferRequest request, StreamObserver<TransferResponse> to) {
    LeaseName name = LeaseWire.name(request.getNamespace(), request.getKey());
    long token = LeaseWire.token(request.getToken());
    String owner = FieldChecks.name("to_owner_id", request.getToOwnerId(), LeaseWire.MAX_OWNER);
    String session =
        FieldChecks.optionalName("to_session_id", request.getToSessionId(), LeaseWire.MAX_OWNER);
    String requestId = FieldChecks.requestId(request.getRequestId());
    calls.mutate(
        new Mutation<>(name.namespace(), requestId, request, TransferResponse.parser()),
        (leases, tx, reply) ->
            reply.send(tx, transferred(leases.transfer(name, token, owner, session, tx))),
        to);
  }

  private static TransferResponse transferred(Optional<LeaseView> lease) {
    return lease
        .map(
            view ->
                TransferResponse.newBuilder()
                    .setOutcome(TransferResponse.Outcome.OUTCOME_TRANSFERRED)
                    .setLease(LeaseWire.lease(view)))
        .orElseGet(
            () ->
                TransferResponse.newBuilder().setOutcome(TransferResponse.Outcome.OUTCOME_NOT_HELD))
        .build();
  }

  void confirm(ConfirmRequest request, StreamObserver<ConfirmResponse> to) {
    LeaseName name = LeaseWire.name(request.getNamespace(), request.getKey());
    long token = LeaseWire.token(request.getToken());
    byte[] given = LeaseWire.payload("payload", request.getPayload());
    Optional<byte[]> payload = request.hasPayload() ? Optional.of(given) : Optional.empty();
    String requestId = FieldChecks.requestId(request.getRequestId());
    calls.mutate(
        new Mutation<>(name.namespace(), requestId, request, ConfirmResponse.parser()),
        (leases, tx, reply) -> reply.send(tx, confirmed(leases.confirm(name, token, payload, tx))),
        to);
  }

  private static ConfirmResponse confirmed(Optional<LeaseView> lease) {
    return lease
        .map(
            view ->
                ConfirmResponse.newBuilder()
                    .setOutcome(ConfirmResponse.Outcome.OUTCOME_CONFIRMED)
                    .setLease(LeaseWire.lease(view)))
        .orElseGet(
            () -> ConfirmResponse.newBuilder().setOutcome(ConfirmResponse.Outcome.OUTCOME_NOT_HELD))
        .build();
  }

  void updatePayload(UpdatePayloadRequest request, StreamObserver<UpdatePayloadResponse> to) {
    LeaseName name = LeaseWire.name(request.getNamespace(), request.getKey());
    long token = LeaseWire.token(request.getToken());
    byte[] payload = LeaseWire.payload("payload", request.getPayload());
    Optional<Long> expected =
        LeaseWire.expectedVersion(request.hasExpectedVersion(), request.getExpectedVersion());
    String requestId = FieldChecks.requestId(request.getRequestId());
    calls.mutate(
        new Mutation<>(name.namespace(), requestId, request, UpdatePayloadResponse.parser()),
        (leases, tx, reply) ->
            reply.send(tx, updated(leases.updatePayload(name, token, expected, payload, tx))),
        to);
  }

  private static UpdatePayloadResponse updated(Optional<LeaseView> lease) {
    return lease
        .map(
            view ->
                UpdatePayloadResponse.newBuilder()
                    .setOutcome(UpdatePayloadResponse.Outcome.OUTCOME_UPDATED)
                    .setLease(LeaseWire.lease(view)))
        .orElseGet(
            () ->
                UpdatePayloadResponse.newBuilder()
                    .setOutcome(UpdatePayloadResponse.Outcome.OUTCOME_NOT_HELD))
        .build();
  }
}
