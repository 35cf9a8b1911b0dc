package dev.plinth.simulation.etcd;

import com.google.protobuf.Message;
import io.etcd.jetcd.api.CompactionRequest;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.TxnRequest;

/** Sends each kind of request to its method of the model. */
record ModelUnderTest(EtcdModel model) implements EtcdUnderTest {
  @Override
  public Message call(Message request) {
    if (request instanceof TxnRequest txn) {
      return model.txn(txn);
    } else if (request instanceof RangeRequest range) {
      return model.range(range);
    } else if (request instanceof PutRequest put) {
      return model.put(put);
    } else if (request instanceof DeleteRangeRequest delete) {
      return model.deleteRange(delete);
    } else if (request instanceof CompactionRequest compaction) {
      return model.compact(compaction);
    } else if (request instanceof LeaseGrantRequest grant) {
      return model.leaseGrant(grant);
    } else if (request instanceof LeaseRevokeRequest revoke) {
      return model.leaseRevoke(revoke);
    } else if (request instanceof LeaseKeepAliveRequest keepAlive) {
      return model.leaseKeepAlive(keepAlive);
    }
    throw new IllegalArgumentException(request.toString());
  }
}
