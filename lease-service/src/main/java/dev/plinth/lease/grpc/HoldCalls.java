package dev.plinth.lease.grpc;

import dev.plinth.lease.core.LeaseName;
import dev.plinth.lease.core.LeaseView;
import dev.plinth.lease.core.Leases;
import dev.plinth.lease.core.ReleaseResult;
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
import dev.plinth.server.call.WireEnum;
import dev.plinth.shards.Command;
import dev.plinth.shards.StateFunction;
import java.util.Optional;

/** The calls that renew, change or end a hold under its token. */
final class HoldCalls {
  private static final int MAX_RENEWALS = 100;
  private static final WireEnum<ReleaseResult, ReleaseResponse.Outcome> RELEASED =
      new WireEnum<>(ReleaseResult.class, ReleaseResponse.Outcome.class, "OUTCOME_");

  private HoldCalls() {}

  static Command<Leases, RenewResponse> renew(String namespace, RenewRequest request) {
    FieldChecks.between("items", request.getItemsCount(), 1, MAX_RENEWALS);
    for (int i = 0; i < request.getItemsCount(); i++) {
      String path = "items[" + i + "].";
      FieldChecks.name(path + "key", request.getItems(i).getKey(), LeaseWire.MAX_KEY);
      LeaseWire.token(path + "token", request.getItems(i).getToken());
    }
    return (leases, tx, reply) -> {
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
    };
  }

  private static RenewResult renewed(Optional<LeaseView> lease) {
    RenewResult.Builder result = RenewResult.newBuilder();
    lease.ifPresentOrElse(
        kept -> {
          // Not the ttl: a session's hold has what is left to the session, whatever was asked here.
          result
              .setState(RenewResult.State.STATE_RENEWED)
              .setTtl(FieldChecks.wire(kept.remaining()));
          LeaseWire.releaseNotice(kept).ifPresent(result::setReleaseAsk);
        },
        () -> result.setState(RenewResult.State.STATE_LOST));
    return result.build();
  }

  static StateFunction<Leases, ReleaseResponse> release(String namespace, ReleaseRequest request) {
    LeaseName name = LeaseWire.name(namespace, request.getKey());
    long token = LeaseWire.token(request.getToken());
    return (leases, tx) ->
        ReleaseResponse.newBuilder()
            .setOutcome(RELEASED.of(leases.release(name, token, tx)))
            .build();
  }

  static StateFunction<Leases, TransferResponse> transfer(
      String namespace, TransferRequest request) {
    LeaseName name = LeaseWire.name(namespace, request.getKey());
    long token = LeaseWire.token(request.getToken());
    String owner = FieldChecks.name("to_owner_id", request.getToOwnerId(), LeaseWire.MAX_OWNER);
    String session =
        FieldChecks.optionalName("to_session_id", request.getToSessionId(), LeaseWire.MAX_OWNER);
    return (leases, tx) ->
        leases
            .transfer(name, token, owner, session, tx)
            .map(LeaseWire::lease)
            .map(TransferResponse.newBuilder()::setLease)
            .map(answer -> answer.setOutcome(TransferResponse.Outcome.OUTCOME_TRANSFERRED))
            .orElse(
                TransferResponse.newBuilder().setOutcome(TransferResponse.Outcome.OUTCOME_NOT_HELD))
            .build();
  }

  static StateFunction<Leases, ConfirmResponse> confirm(String namespace, ConfirmRequest request) {
    LeaseName name = LeaseWire.name(namespace, request.getKey());
    long token = LeaseWire.token(request.getToken());
    byte[] given = LeaseWire.payload("payload", request.getPayload());
    Optional<byte[]> payload = request.hasPayload() ? Optional.of(given) : Optional.empty();
    return (leases, tx) ->
        leases
            .confirm(name, token, payload, tx)
            .map(LeaseWire::lease)
            .map(ConfirmResponse.newBuilder()::setLease)
            .map(answer -> answer.setOutcome(ConfirmResponse.Outcome.OUTCOME_CONFIRMED))
            .orElse(
                ConfirmResponse.newBuilder().setOutcome(ConfirmResponse.Outcome.OUTCOME_NOT_HELD))
            .build();
  }

  static StateFunction<Leases, UpdatePayloadResponse> updatePayload(
      String namespace, UpdatePayloadRequest request) {
    LeaseName name = LeaseWire.name(namespace, request.getKey());
    long token = LeaseWire.token(request.getToken());
    byte[] payload = LeaseWire.payload("payload", request.getPayload());
    Optional<Long> expected =
        FieldChecks.expectedVersion(request.hasExpectedVersion(), request.getExpectedVersion());
    return (leases, tx) ->
        leases
            .updatePayload(name, token, expected, payload, tx)
            .map(LeaseWire::lease)
            .map(UpdatePayloadResponse.newBuilder()::setLease)
            .map(answer -> answer.setOutcome(UpdatePayloadResponse.Outcome.OUTCOME_UPDATED))
            .orElse(
                UpdatePayloadResponse.newBuilder()
                    .setOutcome(UpdatePayloadResponse.Outcome.OUTCOME_NOT_HELD))
            .build();
  }
}
