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
import dev.plinth.shards.Command;
import dev.plinth.shards.Reply;
import dev.plinth.shards.Tx;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** Commands that hand out ids, one by one and in ranges. */
final class RangeCalls {
  private static final Logger log = System.getLogger("plinth.id");
  private static final int MAX_IDS = 10_000;

  private RangeCalls() {}

  static Command<Namespaces, AllocateResponse> allocate(String namespace, AllocateRequest request) {
    int count = Math.max(1, FieldChecks.between("count", request.getCount(), 0, MAX_IDS));
    boolean remember = !request.getRequestId().isEmpty();
    return (ids, tx, reply) -> {
      var allocation = ids.allocate(namespace, count, remember, tx);
      answer(allocation, remember, IdWire.response(allocation.value()), tx, reply);
    };
  }

  static Command<Namespaces, LeaseRangeResponse> lease(
      String namespace, LeaseRangeRequest request) {
    String owner = FieldChecks.name("owner_id", request.getOwnerId(), IdWire.MAX_OWNER);
    long want = FieldChecks.between("want", request.getWant(), 0, Long.MAX_VALUE);
    boolean remember = !request.getRequestId().isEmpty();
    return (ids, tx, reply) -> {
      Allocation<RangeView> allocation = ids.leaseRange(namespace, want, remember, tx);
      log.log(Level.DEBUG, "{0} has {1} of {2}", owner, allocation.value(), namespace);
      LeaseRangeResponse response =
          LeaseRangeResponse.newBuilder()
              .setRange(IdWire.range(namespace, allocation.value()))
              .build();
      answer(allocation, remember, response, tx, reply);
    };
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

  static Command<Namespaces, ReturnRangeResponse> returnRange(
      String namespace, ReturnRangeRequest request) {
    String lease = FieldChecks.name("lease_id", request.getLeaseId(), IdWire.MAX_LEASE_ID);
    long used = FieldChecks.between("used", request.getUsed(), 0, Long.MAX_VALUE);
    return (ids, tx, reply) ->
        reply.send(tx, IdWire.response(ids.returnRange(namespace, lease, used, tx)));
  }
}
