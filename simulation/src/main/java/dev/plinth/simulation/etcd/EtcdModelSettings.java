package dev.plinth.simulation.etcd;

import java.time.Duration;

/**
 * What etcd is free to do, and how far the model goes.
 *
 * @param quotaBytes what the file may take before NOSPACE
 * @param expiryDelay how late a lease is revoked at most: etcd looks every 500 ms
 * @param slowExpiryDelay how late where the first try to revoke it was lost
 * @param slowExpiry the share of leases that are revoked that late
 * @param dyingRenewal the share of renewals of a lease past its expiry, not yet revoked, that are
 *     answered yes although the lease will be revoked
 * @param appliedOverQuota the share of writes that cross the quota and are applied, although
 *     refused with NOSPACE
 * @param staleRevisions how many revisions a serializable read may be behind
 */
public record EtcdModelSettings(
    long quotaBytes,
    Duration expiryDelay,
    Duration slowExpiryDelay,
    double slowExpiry,
    double dyingRenewal,
    double appliedOverQuota,
    int staleRevisions) {
  /** As a cluster of three that has nothing else to do. */
  public static final EtcdModelSettings DEFAULT =
      new EtcdModelSettings(
          2L << 30, Duration.ofMillis(600), Duration.ofMillis(4_000), 0.05, 0.2, 0.75, 20);

  public EtcdModelSettings withQuota(long bytes) {
    return new EtcdModelSettings(
        bytes,
        expiryDelay,
        slowExpiryDelay,
        slowExpiry,
        dyingRenewal,
        appliedOverQuota,
        staleRevisions);
  }

  /** Serializable reads as of one member, which is never behind. */
  public EtcdModelSettings withoutStaleReads() {
    return new EtcdModelSettings(
        quotaBytes, expiryDelay, slowExpiryDelay, slowExpiry, dyingRenewal, appliedOverQuota, 0);
  }
}
