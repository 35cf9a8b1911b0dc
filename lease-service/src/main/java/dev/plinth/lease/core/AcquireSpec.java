package dev.plinth.lease.core;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A wish for keys of one namespace: all of them or none.
 *
 * @param sessionId empty for leases with a time of their own
 * @param ttl the leases' own, or as the namespace's policy says; none with a session
 * @param timeout how long to wait in line; empty for as long as the caller listens
 * @param lockDelay the leases' own, or as the policy says; none with a session
 * @param patient whether the caller may come back, so that its place is kept for a moment
 * @param callId names the call that waits: its request id, under which it may be sent again, or an
 *     object of its own
 */
public record AcquireSpec(
    List<KeyRequest> wants,
    String ownerId,
    String sessionId,
    Optional<Duration> ttl,
    Optional<Duration> timeout,
    int priority,
    byte[] payload,
    Optional<Duration> lockDelay,
    boolean patient,
    Object callId) {

  /** Of a call that is sent once. */
  public AcquireSpec(
      List<KeyRequest> wants,
      String ownerId,
      String sessionId,
      Optional<Duration> ttl,
      Optional<Duration> timeout,
      int priority,
      byte[] payload,
      Optional<Duration> lockDelay,
      boolean patient) {
    this(
        wants,
        ownerId,
        sessionId,
        ttl,
        timeout,
        priority,
        payload,
        lockDelay,
        patient,
        new Object());
  }

  /** What it takes in memory while it waits, about. */
  long bytes() {
    long names =
        wants.stream().mapToLong(keyRequest -> 256 + 2L * keyRequest.name().key().length()).sum();
    return 1024 + names + payload.length;
  }

  String namespace() {
    return wants.get(0).name().namespace();
  }

  boolean hasSession() {
    return !sessionId.isEmpty();
  }

  LeaseOwner party() {
    return new LeaseOwner(ownerId, sessionId);
  }

  /** The same wish with what it left to the policy. */
  AcquireSpec withDefaults(NamespacePolicy namespacePolicy) {
    return new AcquireSpec(
        wants,
        ownerId,
        sessionId,
        Optional.of(ttl.orElse(namespacePolicy.defaultTtl())),
        timeout,
        priority,
        payload,
        Optional.of(lockDelay.orElse(namespacePolicy.defaultLockDelay())),
        patient,
        callId);
  }
}
