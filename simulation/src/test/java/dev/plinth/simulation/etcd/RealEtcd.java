package dev.plinth.simulation.etcd;

import com.google.protobuf.Message;
import io.etcd.jetcd.api.AlarmRequest;
import io.etcd.jetcd.api.CompactionRequest;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.TxnRequest;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The real etcd, over a plain channel. */
final class RealEtcd implements EtcdUnderTest, AutoCloseable {
  private static final long TIMEOUT_SECONDS = 20;

  private final ManagedChannel channel;

  RealEtcd(String hostPort) {
    channel =
        ManagedChannelBuilder.forTarget("dns:///" + hostPort)
            .usePlaintext()
            .maxInboundMessageSize(64 << 20)
            .build();
  }

  @Override
  public Message call(Message request) {
    var kv = KVGrpc.newBlockingStub(channel).withDeadlineAfter(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    var leases =
        LeaseGrpc.newBlockingStub(channel).withDeadlineAfter(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    if (request instanceof TxnRequest txn) {
      return kv.txn(txn);
    } else if (request instanceof RangeRequest range) {
      return kv.range(range);
    } else if (request instanceof PutRequest put) {
      return kv.put(put);
    } else if (request instanceof DeleteRangeRequest delete) {
      return kv.deleteRange(delete);
    } else if (request instanceof CompactionRequest compaction) {
      return kv.compact(compaction);
    } else if (request instanceof LeaseGrantRequest grant) {
      return leases.leaseGrant(grant);
    } else if (request instanceof LeaseRevokeRequest revoke) {
      return leases.leaseRevoke(revoke);
    } else if (request instanceof LeaseKeepAliveRequest keepAlive) {
      return keepAlive(keepAlive);
    } else if (request instanceof AlarmRequest alarm) {
      return MaintenanceGrpc.newBlockingStub(channel).alarm(alarm);
    }
    throw new IllegalArgumentException(request.toString());
  }

  private LeaseKeepAliveResponse keepAlive(LeaseKeepAliveRequest request) {
    CompletableFuture<LeaseKeepAliveResponse> answer = new CompletableFuture<>();
    StreamObserver<LeaseKeepAliveRequest> stream =
        LeaseGrpc.newStub(channel)
            .withDeadlineAfter(TIMEOUT_SECONDS, TimeUnit.SECONDS)
            .leaseKeepAlive(new First(answer));
    stream.onNext(request);
    try {
      return answer.join();
    } catch (java.util.concurrent.CompletionException e) {
      throw (StatusRuntimeException) e.getCause();
    } finally {
      stream.onCompleted();
    }
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }

  /** Takes the first answer of a stream. */
  private record First(CompletableFuture<LeaseKeepAliveResponse> answer)
      implements StreamObserver<LeaseKeepAliveResponse> {
    @Override
    public void onNext(LeaseKeepAliveResponse response) {
      answer.complete(response);
    }

    @Override
    public void onError(Throwable thrown) {
      answer.completeExceptionally(thrown);
    }

    @Override
    public void onCompleted() {}
  }
}
