package dev.plinth.lease.grpc;

import dev.plinth.lease.core.LeaseName;
import dev.plinth.lease.core.LeaseView;
import dev.plinth.lease.core.Leases;
import dev.plinth.lease.v1.ConfirmRequest;
import dev.plinth.lease.v1.ConfirmResponse;
import dev.plinth.lease.v1.ForceReleaseRequest;
import dev.plinth.lease.v1.ForceReleaseResponse;
import dev.plinth.lease.v1.TransferRequest;
import dev.plinth.lease.v1.TransferResponse;
import dev.plinth.lease.v1.UpdatePayloadRequest;
import dev.plinth.lease.v1.UpdatePayloadResponse;
import dev.plinth.server.call.Fields;
import dev.plinth.shards.grpc.ShardCalls;
import dev.plinth.shards.grpc.ShardCalls.Mutation;
import io.grpc.stub.StreamObserver;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;

/** The calls that change a hold in place, or end it from outside. */
final class HoldCalls {
  private static final Logger log = System.getLogger("plinth.lease");
  private static final int MOST_REASON = 256;

  private final ShardCalls<Leases> calls;

  HoldCalls(ShardCalls<Leases> calls) {
    this.calls = calls;
  }

  void transfer(TransferRequest request, StreamObserver<TransferResponse> to) {
    LeaseName name = LeaseWire.name(request.getNamespace(), request.getKey());
    long token = LeaseWire.token(request.getToken());
    String owner = Fields.name("to_owner_id", request.getToOwnerId(), LeaseWire.MOST_OWNER);
    String session =
        Fields.optionalName("to_session_id", request.getToSessionId(), LeaseWire.MOST_OWNER);
    String requestId = Fields.requestId(request.getRequestId());
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
    byte[] given = LeaseWire.payload(request.getPayload());
    Optional<byte[]> payload = request.hasPayload() ? Optional.of(given) : Optional.empty();
    String requestId = Fields.requestId(request.getRequestId());
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
    byte[] payload = LeaseWire.payload(request.getPayload());
    Optional<Long> expected =
        request.hasExpectedVersion() ? Optional.of(request.getExpectedVersion()) : Optional.empty();
    String requestId = Fields.requestId(request.getRequestId());
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

  void forceRelease(ForceReleaseRequest request, StreamObserver<ForceReleaseResponse> to) {
    LeaseName name = LeaseWire.name(request.getNamespace(), request.getKey());
    String reason = Fields.name("reason", request.getReason(), MOST_REASON);
    Optional<Long> token =
        request.hasToken() ? Optional.of(LeaseWire.token(request.getToken())) : Optional.empty();
    String requestId = Fields.requestId(request.getRequestId());
    calls.mutate(
        new Mutation<>(name.namespace(), requestId, request, ForceReleaseResponse.parser()),
        (leases, tx, reply) -> {
          List<LeaseView> ended = leases.forceRelease(name, token, tx);
          ended.forEach(
              lease ->
                  log.log(
                      Level.WARNING,
                      "forced release of " + name + " held by " + lease.ownerId() + ": " + reason));
          reply.send(
              tx,
              ForceReleaseResponse.newBuilder().addAllReleased(LeaseWire.leases(ended)).build());
        },
        to);
  }
}
