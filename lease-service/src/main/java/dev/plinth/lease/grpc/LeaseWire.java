package dev.plinth.lease.grpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import dev.plinth.lease.core.HoldEndCause;
import dev.plinth.lease.core.LeaseName;
import dev.plinth.lease.core.LeaseView;
import dev.plinth.lease.core.NamespacePolicy;
import dev.plinth.lease.core.ReleaseResult;
import dev.plinth.lease.core.WaitersView;
import dev.plinth.lease.v1.EndCause;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.Mode;
import dev.plinth.lease.v1.ReleaseAsk;
import dev.plinth.lease.v1.ReleaseResponse;
import dev.plinth.lease.v1.Waiter;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What requests have in common, checked, and the core's terms on the wire. */
final class LeaseWire {
  static final int MAX_KEY = 256;
  static final int MAX_OWNER = 128;
  private static final int MAX_PAYLOAD = 4 * 1024;

  /** Waiters on a list of them; their number is told beside them. */
  static final int MAX_WAITERS = 500;

  /** Holds on a list of those that an operator ended or asked for. */
  static final int MAX_FORCED = 100;

  private LeaseWire() {}

  static LeaseName name(String namespace, String key) {
    return new LeaseName(FieldChecks.namespace(namespace), FieldChecks.name("key", key, MAX_KEY));
  }

  static LeaseName resource(String namespace, String resource) {
    return new LeaseName(
        FieldChecks.namespace(namespace), FieldChecks.name("resource", resource, MAX_KEY));
  }

  static String session(String value) {
    return FieldChecks.name("session_id", value, MAX_OWNER);
  }

  /** What keys are to begin with; empty for all. */
  static String prefix(String value) {
    return FieldChecks.optionalName("key_prefix", value, MAX_KEY);
  }

  static byte[] payload(String field, ByteString payload) {
    if (payload.size() > MAX_PAYLOAD) {
      throw Failure.Invalid.field(
          field, payload.size() + " bytes", "at most " + MAX_PAYLOAD + " bytes");
    }
    return payload.toByteArray();
  }

  static Optional<Duration> ttl(boolean given, com.google.protobuf.Duration value) {
    NamespacePolicy most = NamespacePolicy.PLATFORM;
    return optional("ttl", given, value, most.minTtl(), most.maxTtl());
  }

  static Optional<Duration> lockDelay(boolean given, com.google.protobuf.Duration value) {
    return optional(
        "lock_delay", given, value, Duration.ZERO, NamespacePolicy.PLATFORM.maxLockDelay());
  }

  static Optional<Duration> optional(
      String field,
      boolean given,
      com.google.protobuf.Duration value,
      Duration least,
      Duration most) {
    return given
        ? Optional.of(FieldChecks.duration(field, value, least, least, most))
        : Optional.empty();
  }

  static long token(long value) {
    return token("token", value);
  }

  static long token(String field, long value) {
    if (value <= 0) {
      throw Failure.Invalid.field(field, value, "a token as granted, above 0");
    }
    return value;
  }

  /** A version that something is expected to have; 0 is that of what was never set. */
  static Optional<Long> expectedVersion(boolean given, long value) {
    if (given && value < 0) {
      throw Failure.Invalid.field("expected_version", value, "0 or more, or none");
    }
    return given ? Optional.of(value) : Optional.empty();
  }

  static ReleaseResponse response(ReleaseResult releaseResult) {
    ReleaseResponse.Outcome outcome =
        switch (releaseResult) {
          case RELEASED -> ReleaseResponse.Outcome.OUTCOME_RELEASED;
          case STILL_HELD -> ReleaseResponse.Outcome.OUTCOME_STILL_HELD;
          case NOT_HELD -> ReleaseResponse.Outcome.OUTCOME_NOT_HELD;
        };
    return ReleaseResponse.newBuilder().setOutcome(outcome).build();
  }

  static List<Lease> leases(List<LeaseView> views, int most) {
    return views.stream().limit(most).map(LeaseWire::lease).toList();
  }

  static List<Lease> leases(List<LeaseView> views) {
    return views.stream().map(LeaseWire::lease).toList();
  }

  static Lease lease(LeaseView view) {
    Lease.Builder lease =
        Lease.newBuilder()
            .setNamespace(view.name().namespace())
            .setKey(view.name().key())
            .setOwnerId(view.ownerId())
            .setSessionId(view.sessionId())
            .setToken(view.token())
            .setTtl(duration(view.ttl()))
            .setMode(mode(view.leaseMode()))
            .setWeight(view.weight())
            .setPayload(ByteString.copyFrom(view.payload()))
            .setEntries(view.entries())
            .setAcquiredAt(timestamp(view.acquiredAt()))
            .setPayloadVersion(view.payloadVersion())
            .setConfirmed(view.confirmed())
            .setTerm(view.term());
    releaseNotice(view).ifPresent(lease::setReleaseAsk);
    return lease.build();
  }

  static Optional<ReleaseAsk> releaseNotice(LeaseView view) {
    return view.ask()
        .map(
            ask ->
                ReleaseAsk.newBuilder()
                    .setKey(view.name().key())
                    .setToken(view.token())
                    .setGrace(duration(ask.left()))
                    .setActor(ask.actor())
                    .setReason(ask.reason())
                    .build());
  }

  static List<ReleaseAsk> releaseNotices(List<LeaseView> asked) {
    return asked.stream().flatMap(lease -> releaseNotice(lease).stream()).toList();
  }

  static Waiter waiter(WaitersView.InLine inLine) {
    return Waiter.newBuilder()
        .setOwnerId(inLine.spec().ownerId())
        .setSessionId(inLine.spec().sessionId())
        .setMode(mode(inLine.keyRequest().leaseMode()))
        .setWeight(inLine.keyRequest().weight())
        .setPriority(inLine.spec().priority())
        .setWaited(duration(inLine.waited()))
        .build();
  }

  static Mode mode(dev.plinth.lease.core.LeaseMode leaseMode) {
    return switch (leaseMode) {
      case EXCLUSIVE -> Mode.MODE_EXCLUSIVE;
      case SHARED -> Mode.MODE_SHARED;
      case SEMAPHORE -> Mode.MODE_SEMAPHORE;
    };
  }

  static EndCause cause(HoldEndCause cause) {
    return switch (cause) {
      case RELEASED -> EndCause.END_CAUSE_RELEASED;
      case EXPIRED -> EndCause.END_CAUSE_EXPIRED;
      case CLOSED -> EndCause.END_CAUSE_CLOSED;
      case FORCED -> EndCause.END_CAUSE_FORCED;
      case TRANSFERRED -> EndCause.END_CAUSE_TRANSFERRED;
    };
  }

  static com.google.protobuf.Duration duration(Duration duration) {
    return Durations.fromNanos(duration.toNanos());
  }

  static Timestamp timestamp(Instant instant) {
    return Timestamp.newBuilder()
        .setSeconds(instant.getEpochSecond())
        .setNanos(instant.getNano())
        .build();
  }
}
