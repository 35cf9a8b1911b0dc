package dev.plinth.id.grpc;

import com.google.protobuf.Message;
import dev.plinth.id.core.Allocation;
import dev.plinth.id.core.Namespaces;
import dev.plinth.id.core.RangeView;
import dev.plinth.id.v1.AllocateRequest;
import dev.plinth.id.v1.AllocateResponse;
import dev.plinth.id.v1.LeaseRangeRequest;
import dev.plinth.id.v1.LeaseRangeResponse;
import dev.plinth.id.v1.ReturnRangeRequest;
import dev.plinth.id.v1.ReturnRangeResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.shards.Reply;
import dev.plinth.shards.Tx;
import dev.plinth.shards.grpc.ShardCalls;
import dev.plinth.shards.grpc.ShardCalls.Mutation;
import io.grpc.stub.StreamObserver;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** The calls that hand out ids, one by one and in ranges. */
final class RangeCalls {
  private static final Logger log = System.getLogger("plinth.id");
  private static final int MAX_IDS = 10_000;

  private final ShardCalls<Namespaces> calls;

  RangeCalls(ShardCalls<Namespaces> calls) {
    this.calls = calls;
  }

  void allocate(AllocateRequest request, StreamObserver<AllocateResponse> to) {
    String namespace = FieldChecks.namespace(request.getNamespace());
    int count = Math.max(1, FieldChecks.between("count", request.getCount(), 0, MAX_IDS));
    String requestId = FieldChecks.requestId(request.getRequestId());
    boolean remember = !requestId.isEmpty();
    calls.mutate(
        new Mutation<>(namespace, requestId, request, AllocateResponse.parser()),
        (ids, tx, reply) -> {
          var allocation = ids.allocate(namespace, count, remember, tx);
          answer(allocation, remember, IdWire.response(allocation.value()), tx, reply);
        },
        to);
  }

  void lease(LeaseRangeRequest request, StreamObserver<LeaseRangeResponse> to) {
    String namespace = FieldChecks.namespace(request.getNamespace());
    String owner = FieldChecks.name("owner_id", request.getOwnerId(), IdWire.MAX_OWNER);
    long want = IdWire.between("want", request.getWant(), 0, Long.MAX_VALUE);
    String requestId = FieldChecks.requestId(request.getRequestId());
    boolean remember = !requestId.isEmpty();
    calls.mutate(
        new Mutation<>(namespace, requestId, request, LeaseRangeResponse.parser()),
        (ids, tx, reply) -> {
          Allocation<RangeView> allocation = ids.leaseRange(namespace, want, remember, tx);
          log.log(Level.DEBUG, "{0} has {1} of {2}", owner, allocation.value(), namespace);
          LeaseRangeResponse response =
              LeaseRangeResponse.newBuilder()
                  .setRange(IdWire.range(namespace, allocation.value()))
                  .build();
          answer(allocation, remember, response, tx, reply);
        },
        to);
  }

  /** What lies in a durable block need not wait; what is remembered leaves with its commit. */
  private static <R extends Message> void answer(
      Allocation<?> allocation, boolean remember, R response, Tx tx, Reply<R> reply) {
    if (allocation.durable() && !remember) {
      reply.sendNow(response);
    } else {
      reply.send(tx, response);
    }
  }

  void returnRange(ReturnRangeRequest request, StreamObserver<ReturnRangeResponse> to) {
    String namespace = FieldChecks.namespace(request.getNamespace());
    String lease = FieldChecks.name("lease_id", request.getLeaseId(), IdWire.MAX_LEASE_ID);
    long used = IdWire.between("used", request.getUsed(), 0, Long.MAX_VALUE);
    String requestId = FieldChecks.requestId(request.getRequestId());
    calls.mutate(
        new Mutation<>(namespace, requestId, request, ReturnRangeResponse.parser()),
        (ids, tx, reply) ->
            reply.send(tx, IdWire.response(ids.returnRange(namespace, lease, used, tx))),
        to);
  }
}
