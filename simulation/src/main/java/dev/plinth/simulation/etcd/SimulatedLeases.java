package dev.plinth.simulation.etcd;

import io.etcd.jetcd.Lease;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.common.exception.ErrorCode;
import io.etcd.jetcd.common.exception.EtcdExceptionFactory;
import io.etcd.jetcd.lease.LeaseGrantResponse;
import io.etcd.jetcd.lease.LeaseKeepAliveResponse;
import io.etcd.jetcd.lease.LeaseRevokeResponse;
import io.etcd.jetcd.lease.LeaseTimeToLiveResponse;
import io.etcd.jetcd.options.LeaseOption;
import io.etcd.jetcd.support.CloseableClient;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Leases, without jetcd's own loop of renewals. */
record SimulatedLeases(SimulatedClient client) implements Lease {
  @Override
  public CompletableFuture<LeaseGrantResponse> grant(long ttl) {
    return client.call(
        LeaseGrantRequest.newBuilder().setTTL(ttl).build(),
        EtcdModel::leaseGrant,
        LeaseGrantResponse::new);
  }

  @Override
  public CompletableFuture<LeaseGrantResponse> grant(long ttl, long timeout, TimeUnit unit) {
    throw SimulatedClient.notModelled();
  }

  @Override
  public CompletableFuture<LeaseRevokeResponse> revoke(long id) {
    return client.call(
        LeaseRevokeRequest.newBuilder().setID(id).build(),
        EtcdModel::leaseRevoke,
        LeaseRevokeResponse::new);
  }

  /** etcd answers with a TTL of 0 where the lease is gone; jetcd makes a failure of it. */
  @Override
  public CompletableFuture<LeaseKeepAliveResponse> keepAliveOnce(long id) {
    return client.call(
        LeaseKeepAliveRequest.newBuilder().setID(id).build(),
        EtcdModel::leaseKeepAlive,
        renewed -> {
          if (renewed.getTTL() <= 0) {
            throw EtcdExceptionFactory.newEtcdException(
                ErrorCode.NOT_FOUND, "etcdserver: requested lease not found");
          }
          return new LeaseKeepAliveResponse(renewed);
        });
  }

  @Override
  public CompletableFuture<LeaseTimeToLiveResponse> timeToLive(long id, LeaseOption option) {
    throw SimulatedClient.notModelled();
  }

  @Override
  public CloseableClient keepAlive(long id, StreamObserver<LeaseKeepAliveResponse> observer) {
    throw SimulatedClient.notModelled();
  }
}
