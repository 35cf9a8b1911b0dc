package dev.plinth.id.grpc;

import dev.plinth.id.core.AllocatedIds;
import dev.plinth.id.core.Allocation;
import dev.plinth.id.core.Namespaces;
import dev.plinth.id.core.RangeView;
import dev.plinth.id.v1.AllocateRequest;
import dev.plinth.id.v1.AllocateResponse;
import dev.plinth.id.v1.LeaseRangeRequest;
import dev.plinth.id.v1.LeaseRangeResponse;
import dev.plinth.id.v1.Range;
import dev.plinth.id.v1.ReturnRangeRequest;
import dev.plinth.id.v1.ReturnRangeResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.shards.Command;
import dev.plinth.shards.Reply;
import dev.plinth.shards.StateFunction;
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
    return (ids, tx, reply) -> {
      Allocation<AllocatedIds> allocation = ids.allocate(namespace, count, tx);
      answer(allocation, IdWire.response(allocation.value()), tx, reply);
    };
  }

  static Command<Namespaces, LeaseRangeResponse> lease(
      String namespace, LeaseRangeRequest request) {
    String owner = FieldChecks.name("owner_id", request.getOwnerId(), IdWire.MAX_OWNER);
    long want = FieldChecks.between("want", request.getWant(), 0, Long.MAX_VALUE);
    return (ids, tx, reply) -> {
      Allocation<RangeView> allocation = ids.leaseRange(namespace, want, tx);
      log.log(Level.DEBUG, "{0} has {1} of {2}", owner, allocation.value(), namespace);
      Range range = IdWire.range(namespace, allocation.value());
      answer(allocation, LeaseRangeResponse.newBuilder().setRange(range).build(), tx, reply);
    };
  }

  /** What lies in a durable block need not wait, though it may be that no row shows its effect. */
  static <R> void answer(Allocation<?> allocation, R response, Tx tx, Reply<R> reply) {
    reply.hadEffect();
    if (allocation.durable()) {
      reply.sendNow(response);
    } else {
      reply.send(tx, response);
    }
  }

  static StateFunction<Namespaces, ReturnRangeResponse> returnRange(
      String namespace, ReturnRangeRequest request) {
    String lease = FieldChecks.name("lease_id", request.getLeaseId(), IdWire.MAX_LEASE_ID);
    long used = FieldChecks.between("used", request.getUsed(), 0, Long.MAX_VALUE);
    return (ids, tx) -> IdWire.response(ids.returnRange(namespace, lease, used, tx));
  }
}
