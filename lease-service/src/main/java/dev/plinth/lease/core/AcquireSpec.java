package dev.plinth.lease.core;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A request for keys of one namespace: all of them or none.
 *
 * @param party without a session for leases with a time of their own
 * @param ttl the leases' own, or as the namespace's policy says; none with a session
 * @param lockDelay the leases' own, or as the policy says; none with a session
 * @param timeout how long to wait in line; empty for as long as the caller listens
 */
public record AcquireSpec(
    List<KeyRequest> wants,
    LeaseOwner party,
    Optional<Duration> ttl,
    Optional<Duration> lockDelay,
    Optional<Duration> timeout,
    int priority,
    byte[] payload,
    AcquireCall call) {

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
    return !party.sessionId().isEmpty();
  }

  /** Whether the caller may come back, so that its place is kept for a moment. */
  public boolean patient() {
    return call.patient();
  }

  Object callId() {
    return call.id();
  }

  /** The same request with what it left to the policy. */
  AcquireSpec withDefaults(NamespacePolicy policy) {
    return new AcquireSpec(
        wants,
        party,
        Optional.of(ttl.orElse(policy.ttls().byDefault())),
        Optional.of(lockDelay.orElse(policy.lockDelays().byDefault())),
        timeout,
        priority,
        payload,
        call);
  }
}
