package dev.plinth.simulation.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import java.util.List;

/** Requests in few words. */
final class EtcdRequests {
  private EtcdRequests() {}

  static ByteString bytes(String text) {
    return ByteString.copyFromUtf8(text);
  }

  static PutRequest put(String key, String value) {
    return put(key, value, 0);
  }

  static PutRequest put(String key, String value, long lease) {
    return PutRequest.newBuilder()
        .setKey(bytes(key))
        .setValue(bytes(value))
        .setLease(lease)
        .build();
  }

  static RangeRequest get(String key) {
    return RangeRequest.newBuilder().setKey(bytes(key)).build();
  }

  static DeleteRangeRequest delete(String key) {
    return DeleteRangeRequest.newBuilder().setKey(bytes(key)).build();
  }

  static LeaseGrantRequest grant(long id, long ttl) {
    return LeaseGrantRequest.newBuilder().setID(id).setTTL(ttl).build();
  }

  static LeaseKeepAliveRequest keepAlive(long id) {
    return LeaseKeepAliveRequest.newBuilder().setID(id).build();
  }

  static Compare isAbsent(String key) {
    return Compare.newBuilder()
        .setKey(bytes(key))
        .setTarget(Compare.CompareTarget.CREATE)
        .setCreateRevision(0)
        .build();
  }

  static RequestOp op(PutRequest put) {
    return RequestOp.newBuilder().setRequestPut(put).build();
  }

  static RequestOp op(TxnRequest txn) {
    return RequestOp.newBuilder().setRequestTxn(txn).build();
  }

  static TxnRequest txn(RequestOp... then) {
    return TxnRequest.newBuilder().addAllSuccess(List.of(then)).build();
  }

  static TxnRequest when(Compare compare, RequestOp then) {
    return TxnRequest.newBuilder().addCompare(compare).addSuccess(then).build();
  }
}
