package dev.plinth.simulation.etcd;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Renews and expires leases as the leader does. A lease is never revoked before its expiry, and
 * later than that by chance. Without a leader none is revoked; the next leader gives each its whole
 * TTL again and an election timeout more.
 */
final class LeaseExpiry {
  private static final long MIN_TTL_SECONDS = 2;
  private static final long MAX_TTL_SECONDS = 9_000_000_000L;
  private static final Duration ELECTION_TIMEOUT = Duration.ofSeconds(1);

  private final EtcdModelSettings settings;
  private final LongSupplier nanos;
  private final RandomGenerator random;
  private boolean leaderless;

  LeaseExpiry(EtcdModelSettings settings, LongSupplier nanos, RandomGenerator random) {
    this.settings = settings;
    this.nanos = nanos;
    this.random = random;
  }

  /** Revokes what is due by now, in the order in which it became due. */
  void revokeDue(EtcdState state) {
    if (leaderless) {
      return;
    }
    long now = nanos.getAsLong();
    for (Optional<LeaseTable.Entry> due = state.leases().due(now);
        due.isPresent();
        due = state.leases().due(now)) {
      state.revoke(due.get());
    }
  }

  LeaseTable.Entry grant(EtcdState state, long requested, long ttlSeconds) {
    if (ttlSeconds > MAX_TTL_SECONDS) {
      throw EtcdErrors.ttlTooLarge();
    }
    long id = requested == 0 ? freeId(state) : requested;
    if (state.leases().find(id).isPresent()) {
      throw EtcdErrors.leaseExists();
    }
    LeaseTable.Entry lease = state.leases().add(id, Math.max(ttlSeconds, MIN_TTL_SECONDS));
    refresh(lease, Duration.ZERO);
    return lease;
  }

  private long freeId(EtcdState state) {
    long id;
    do {
      id = random.nextLong(1, Long.MAX_VALUE);
    } while (state.leases().find(id).isPresent());
    return id;
  }

  /** The TTL in seconds; 0 where the lease is gone. */
  long renew(EtcdState state, long id) {
    Optional<LeaseTable.Entry> found = state.leases().find(id);
    if (found.isEmpty()) {
      return 0;
    }
    LeaseTable.Entry lease = found.get();
    if (leaderless || !lease.isExpired(nanos.getAsLong())) {
      refresh(lease, Duration.ZERO);
      return lease.ttlSeconds();
    }
    if (random.nextDouble() < settings.dyingRenewal()) {
      return lease.ttlSeconds();
    }
    // etcd answers when it has revoked the lease: here that is now.
    state.revoke(lease);
    return 0;
  }

  void loseLeader() {
    leaderless = true;
  }

  void electLeader(EtcdState state) {
    leaderless = false;
    state.leases().all().forEach(lease -> refresh(lease, ELECTION_TIMEOUT));
  }

  private void refresh(LeaseTable.Entry lease, Duration extra) {
    // Of a TTL of 285 years, which etcd takes, the nanoseconds still fit; twice of it would not.
    long ttl = Math.min(TimeUnit.SECONDS.toNanos(lease.ttlSeconds()), Long.MAX_VALUE / 4);
    long expiry = nanos.getAsLong() + ttl + extra.toNanos();
    lease.refresh(expiry, expiry + delay().toNanos());
  }

  private Duration delay() {
    Duration most =
        random.nextDouble() < settings.slowExpiry()
            ? settings.slowExpiryDelay()
            : settings.expiryDelay();
    return Duration.ofNanos(random.nextLong(most.toNanos() + 1));
  }
}
