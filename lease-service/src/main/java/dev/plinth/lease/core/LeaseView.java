package dev.plinth.lease.core;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A hold as it was at one moment, for answers. */
public record LeaseView(
    HoldId id,
    int weight,
    int entries,
    Instant acquiredAt,
    Validity validity,
    Payload content,
    Optional<ReleaseNoticeView> ask) {
  /**
   * How long it lasts.
   *
   * @param confirmed its time no longer runs
   */
  public record Validity(Duration ttl, Duration remaining, boolean confirmed) {}

  /** What is kept with it. */
  public record Payload(byte[] bytes, long version) {}

  public LeaseName name() {
    return id.name();
  }

  public String ownerId() {
    return id.owner().ownerId();
  }

  public String sessionId() {
    return id.owner().sessionId();
  }

  public long token() {
    return id.token();
  }

  public LeaseMode leaseMode() {
    return id.leaseMode();
  }

  public long term() {
    return id.term();
  }

  public Duration ttl() {
    return validity.ttl();
  }

  public Duration remaining() {
    return validity.remaining();
  }

  public boolean confirmed() {
    return validity.confirmed();
  }

  public byte[] payload() {
    return content.bytes();
  }

  public long payloadVersion() {
    return content.version();
  }
}
