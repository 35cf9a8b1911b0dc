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
import dev.plinth.shards.CommandPriority;
import dev.plinth.shards.grpc.ShardCalls;
import dev.plinth.shards.grpc.ShardCalls.Mutation;
import io.grpc.stub.StreamObserver;
import java.util.Optional;

/** The calls that lease worker ids. */
final class WorkerCalls {
  private static final int MAX_WORKER = (1 << 16) - 1;

  private final ShardCalls<Namespaces> calls;

  WorkerCalls(ShardCalls<Namespaces> calls) {
    this.calls = calls;
  }

  void lease(LeaseWorkerRequest request, StreamObserver<LeaseWorkerResponse> to) {
    String namespace = FieldChecks.namespace(request.getNamespace());
    String owner = FieldChecks.name("owner_id", request.getOwnerId(), IdWire.MAX_OWNER);
    if (owner.equals(Namespaces.SERVER)) {
      throw Failure.Invalid.field("owner_id", owner, "another: this is the server itself");
    }
    String requestId = FieldChecks.requestId(request.getRequestId());
    calls.mutate(
        new Mutation<>(namespace, requestId, request, LeaseWorkerResponse.parser()),
        (ids, tx, reply) ->
            reply.send(tx, IdWire.response(namespace, ids.leaseWorker(namespace, owner, tx))),
        to);
  }

  void renew(RenewWorkerRequest request, StreamObserver<RenewWorkerResponse> to) {
    String namespace = FieldChecks.namespace(request.getNamespace());
    int worker = worker(request.getWorkerId());
    long epoch = epoch(request.getEpoch());
    calls.read(
        namespace,
        CommandPriority.URGENT,
        (ids, tx, reply) -> {
          Allocation<Optional<WorkerView>> renewed = ids.renewWorker(namespace, worker, epoch, tx);
          RenewWorkerResponse response = renewed(namespace, renewed.value());
          if (renewed.durable()) {
            reply.sendNow(response);
          } else {
            reply.send(tx, response);
          }
        },
        to);
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

  void release(ReleaseWorkerRequest request, StreamObserver<ReleaseWorkerResponse> to) {
    String namespace = FieldChecks.namespace(request.getNamespace());
    int worker = worker(request.getWorkerId());
    long epoch = epoch(request.getEpoch());
    long lastUsed = IdWire.between("last_used_ms", request.getLastUsedMs(), 0, Long.MAX_VALUE);
    String requestId = FieldChecks.requestId(request.getRequestId());
    calls.mutate(
        new Mutation<>(namespace, requestId, request, ReleaseWorkerResponse.parser()),
        (ids, tx, reply) ->
            reply.send(tx, released(ids.releaseWorker(namespace, worker, epoch, lastUsed, tx))),
        to);
  }

  private static ReleaseWorkerResponse released(boolean done) {
    return ReleaseWorkerResponse.newBuilder()
        .setOutcome(
            done
                ? ReleaseWorkerResponse.Outcome.OUTCOME_RELEASED
                : ReleaseWorkerResponse.Outcome.OUTCOME_NOT_HELD)
        .build();
  }

  private static int worker(int value) {
    return FieldChecks.between("worker_id", value, 0, MAX_WORKER);
  }

  private static long epoch(long value) {
    return IdWire.between("epoch", value, 1, Long.MAX_VALUE);
  }
}
