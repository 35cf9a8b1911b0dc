package dev.plinth.simulation.etcd;

import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import java.util.List;

/**
 * What etcd 3.4 weighs against its quota: puts, but not those of nested transactions. So nested
 * puts are applied even without space, unless a plain put is in the request beside them.
 */
final class SpaceQuota {
  static final long LEASE_COST = 64;
  private static final long ROW_COST = 256;

  private SpaceQuota() {}

  static long cost(PutRequest put) {
    return ROW_COST + put.getKey().size() + put.getValue().size();
  }

  static long cost(TxnRequest txn) {
    return Math.max(cost(txn.getSuccessList()), cost(txn.getFailureList()));
  }

  private static long cost(List<RequestOp> ops) {
    return ops.stream()
        .filter(RequestOp::hasRequestPut)
        .mapToLong(op -> cost(op.getRequestPut()))
        .sum();
  }
}
