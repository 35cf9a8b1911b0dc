package dev.plinth.id.grpc;

import dev.plinth.id.core.Allocation;
import dev.plinth.id.core.Namespaces;
import dev.plinth.id.core.WorkerView;
import dev.plinth.id.v1.LeaseWorkerRequest;
import dev.plinth.id.v1.LeaseWorkerResponse;
import dev.plinth.id.v1.ReleaseWorkerRequest;
import dev.plinth.id.v1.ReleaseWorkerResponse;
import dev.plinth.id.v1.RenewWorkerRequest;
import dev.plinth.id.v1.RenewWorkerResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Command;
import dev.plinth.shards.StateFunction;
import java.util.Optional;

/** Commands that lease worker ids. */
final class WorkerCalls {
  private static final int MAX_WORKER = (1 << 16) - 1;

  private WorkerCalls() {}

  static StateFunction<Namespaces, LeaseWorkerResponse> lease(
      String namespace, LeaseWorkerRequest request) {
    String owner = FieldChecks.name("owner_id", request.getOwnerId(), IdWire.MAX_OWNER);
    if (owner.equals(Namespaces.SERVER)) {
      throw Failure.Invalid.field("owner_id", owner, "another: this is the server itself");
    }
    return (ids, tx) -> IdWire.response(namespace, ids.leaseWorker(namespace, owner, tx));
  }

  static Command<Namespaces, RenewWorkerResponse> renew(
      String namespace, RenewWorkerRequest request) {
    int worker = worker(request.getWorkerId());
    long epoch = epoch(request.getEpoch());
    return (ids, tx, reply) -> {
      Allocation<Optional<WorkerView>> renewed = ids.renewWorker(namespace, worker, epoch, tx);
      RangeCalls.answer(renewed, renewed(namespace, renewed.value()), tx, reply);
    };
  }

  private static RenewWorkerResponse renewed(String namespace, Optional<WorkerView> worker) {
    RenewWorkerResponse.Builder response = RenewWorkerResponse.newBuilder();
    worker.ifPresentOrElse(
        kept ->
            response
                .setOutcome(RenewWorkerResponse.Outcome.OUTCOME_RENEWED)
                .setWorker(IdWire.worker(namespace, kept)),
        () -> response.setOutcome(RenewWorkerResponse.Outcome.OUTCOME_LOST));
    return response.build();
  }

  static StateFunction<Namespaces, ReleaseWorkerResponse> release(
      String namespace, ReleaseWorkerRequest request) {
    int worker = worker(request.getWorkerId());
    long epoch = epoch(request.getEpoch());
    long lastUsed = FieldChecks.between("last_used_ms", request.getLastUsedMs(), 0, Long.MAX_VALUE);
    return (ids, tx) ->
        ReleaseWorkerResponse.newBuilder()
            .setOutcome(
                ids.releaseWorker(namespace, worker, epoch, lastUsed, tx)
                    ? ReleaseWorkerResponse.Outcome.OUTCOME_RELEASED
                    : ReleaseWorkerResponse.Outcome.OUTCOME_NOT_HELD)
            .build();
  }

  private static int worker(int value) {
    return FieldChecks.between("worker_id", value, 0, MAX_WORKER);
  }

  private static long epoch(long value) {
    return FieldChecks.between("epoch", value, 1, Long.MAX_VALUE);
  }
}
