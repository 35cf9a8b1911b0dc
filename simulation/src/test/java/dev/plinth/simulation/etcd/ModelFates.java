package dev.plinth.simulation.etcd;

import com.google.protobuf.MessageLite;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * The fates of a store's requests. Faults meet its commits and renewals, which it repeats; where
 * other requests fail, so do the calls of the store that they belong to, as they should.
 */
final class ModelFates implements RequestFates {
  private final RandomGenerator random;
  private final EtcdFaults faults;
  private final Set<String> losingRequests = new HashSet<>();
  private int drawn;

  ModelFates(RandomGenerator random, EtcdFaults faults) {
    this.random = random;
    this.faults = faults;
  }

  void loseRequests(String node) {
    losingRequests.add(node);
  }

  void heal(String node) {
    losingRequests.remove(node);
  }

  /** How many requests had another fate than to be answered, by chance. */
  int drawn() {
    return drawn;
  }

  @Override
  public RequestFate decide(String client, MessageLite request) {
    if (losingRequests.contains(client)) {
      return RequestFate.REQUEST_LOST;
    } else if (!isRepeated(request)) {
      return RequestFate.ANSWERED;
    }
    RequestFate fate = faults.draw(random);
    if (fate != RequestFate.ANSWERED) {
      drawn++;
    }
    return fate;
  }

  private static boolean isRepeated(MessageLite request) {
    return request instanceof LeaseKeepAliveRequest
        || request instanceof TxnRequest txn && isCommit(txn.getSuccessList());
  }

  private static boolean isCommit(List<RequestOp> ops) {
    return ops.stream()
        .anyMatch(
            op ->
                op.getRequestPut().getKey().toStringUtf8().contains("/revisions/")
                    || isCommit(op.getRequestTxn().getSuccessList()));
  }
}
