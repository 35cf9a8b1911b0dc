package dev.plinth.simulation.etcd;

import com.google.protobuf.MessageLite;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * The fates of a store's requests. Faults meet its commits, and now and then a renewal, which it
 * repeats; where other requests fail, so do the calls of the store that they belong to, as they
 * should. No two renewals in a row: the sessions of tests are too short for that.
 */
final class ModelFates implements RequestFates {
  private final RandomGenerator random;
  private final EtcdFaults faults;
  private final Set<String> losingRequests = new HashSet<>();
  private final Set<String> missedRenewal = new HashSet<>();
  private final Map<RequestFate, Integer> drawn;

  /**
   * @param drawn counts the faults that chance made
   */
  ModelFates(RandomGenerator random, EtcdFaults faults, Map<RequestFate, Integer> drawn) {
    this.random = random;
    this.faults = faults;
    this.drawn = drawn;
  }

  void loseRequests(String node) {
    losingRequests.add(node);
  }

  void heal(String node) {
    losingRequests.remove(node);
  }

  @Override
  public RequestFate decide(String client, MessageLite request) {
    if (losingRequests.contains(client)) {
      return RequestFate.REQUEST_LOST;
    } else if (request instanceof LeaseKeepAliveRequest) {
      return missedRenewal.remove(client) ? RequestFate.ANSWERED : renewal(client);
    }
    boolean commits = request instanceof TxnRequest txn && isCommit(txn.getSuccessList());
    return commits ? draw() : RequestFate.ANSWERED;
  }

  private RequestFate renewal(String client) {
    RequestFate fate = draw();
    if (fate != RequestFate.ANSWERED) {
      missedRenewal.add(client);
    }
    return fate;
  }

  private RequestFate draw() {
    RequestFate fate = faults.draw(random);
    if (fate != RequestFate.ANSWERED) {
      drawn.merge(fate, 1, Integer::sum);
    }
    return fate;
  }

  private static boolean isCommit(List<RequestOp> ops) {
    return ops.stream()
        .anyMatch(
            op ->
                op.getRequestPut().getKey().toStringUtf8().contains("/revisions/")
                    || isCommit(op.getRequestTxn().getSuccessList()));
  }
}
