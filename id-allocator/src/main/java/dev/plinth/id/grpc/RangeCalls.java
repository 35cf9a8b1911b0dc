package dev.plinth.id.grpc;

import com.google.protobuf.Message;
import dev.plinth.id.core.Grant;
import dev.plinth.id.core.Namespaces;
import dev.plinth.id.core.RangeView;
import dev.plinth.id.v1.AllocateRequest;
import dev.plinth.id.v1.AllocateResponse;
import dev.plinth.id.v1.LeaseRangeRequest;
import dev.plinth.id.v1.LeaseRangeResponse;
import dev.plinth.id.v1.ReturnRangeRequest;
import dev.plinth.id.v1.ReturnRangeResponse;
import dev.plinth.server.call.Fields;
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
  private static final int MOST_IDS = 10_000;

  private final ShardCalls<Namespaces> calls;

  RangeCalls(ShardCalls<Namespaces> calls) {
    this.calls = calls;
  }

  void allocate(AllocateRequest request, StreamObserver<AllocateResponse> to) {
    String namespace = Fields.namespace(request.getNamespace());
    int count = Math.max(1, Fields.between("count", request.getCount(), 0, MOST_IDS));
    String requestId = Fields.requestId(request.getRequestId());
    boolean remember = !requestId.isEmpty();
    calls.mutate(
        new Mutation<>(namespace, requestId, request, AllocateResponse.parser()),
        (ids, tx, reply) -> {
          var grant = ids.allocate(namespace, count, remember, tx);
          answer(grant, remember, IdWire.response(grant.value()), tx, reply);
        },
        to);
  }

  void lease(LeaseRangeRequest request, StreamObserver<LeaseRangeResponse> to) {
    String namespace = Fields.namespace(request.getNamespace());
    String owner = Fields.name("owner_id", request.getOwnerId(), IdWire.MOST_OWNER);
    long want = IdWire.between("want", request.getWant(), 0, Long.MAX_VALUE);
    String requestId = Fields.requestId(request.getRequestId());
    boolean remember = !requestId.isEmpty();
    calls.mutate(
        new Mutation<>(namespace, requestId, request, LeaseRangeResponse.parser()),
        (ids, tx, reply) -> {
          Grant<RangeView> grant = ids.leaseRange(namespace, want, remember, tx);
          log.log(Level.DEBUG, "{0} has {1} of {2}", owner, grant.value(), namespace);
          LeaseRangeResponse response =
              LeaseRangeResponse.newBuilder()
                  .setRange(IdWire.range(namespace, grant.value()))
                  .build();
          answer(grant, remember, response, tx, reply);
        },
        to);
  }

  /** What lies in a durable block need not wait; what is remembered leaves with its commit. */
  private static <R extends Message> void answer(
      Grant<?> grant, boolean remember, R response, Tx tx, Reply<R> reply) {
    if (grant.durable() && !remember) {
      reply.sendNow(response);
    } else {
      reply.send(tx, response);
    }
  }

  void giveBack(ReturnRangeRequest request, StreamObserver<ReturnRangeResponse> to) {
    String namespace = Fields.namespace(request.getNamespace());
    String lease = Fields.name("lease_id", request.getLeaseId(), IdWire.MOST_LEASE_ID);
    long used = IdWire.between("used", request.getUsed(), 0, Long.MAX_VALUE);
    String requestId = Fields.requestId(request.getRequestId());
    calls.mutate(
        new Mutation<>(namespace, requestId, request, ReturnRangeResponse.parser()),
        (ids, tx, reply) ->
            reply.send(tx, IdWire.response(ids.returnRange(namespace, lease, used, tx))),
        to);
  }
}
