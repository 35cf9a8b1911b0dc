package dev.plinth.shards.store.etcd;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Leases of etcd itself.
 *
 * @param renewals a connection of its own, so that a renewal never waits behind anything else
 */
record EtcdLeases(FailoverEtcdClient failoverEtcdClient, FailoverEtcdClient renewals)
    implements SessionKeeper.Leases {
  @Override
  public CompletableFuture<Granted> grant(Duration ttl) {
    return failoverEtcdClient
        .call(via -> via.getLeaseClient().grant(ttl.toSeconds()))
        .thenApply(grant -> new Granted(grant.getID(), Duration.ofSeconds(grant.getTTL())));
  }

  @Override
  public CompletableFuture<Duration> keepAlive(long lease) {
    return renewals
        .call(via -> via.getLeaseClient().keepAliveOnce(lease))
        .thenApply(renewed -> Duration.ofSeconds(renewed.getTTL()));
  }

  @Override
  public CompletableFuture<?> revoke(long lease) {
    return failoverEtcdClient.call(via -> via.getLeaseClient().revoke(lease));
  }
}
