package dev.plinth.lease.core;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A hold as it was at one moment, for answers. */
public record LeaseView(
    LeaseName name,
    String ownerId,
    String sessionId,
    long token,
    LeaseMode leaseMode,
    int weight,
    Duration ttl,
    Duration remaining,
    int entries,
    Instant acquiredAt,
    byte[] payload,
    long payloadVersion,
    boolean confirmed,
    long term,
    Optional<ReleaseNoticeView> ask) {}
