package dev.plinth.lease.grpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import dev.plinth.lease.core.Acquire;
import dev.plinth.lease.core.Acquired;
import dev.plinth.lease.core.KeyView;
import dev.plinth.lease.core.LeaseName;
import dev.plinth.lease.core.LeaseView;
import dev.plinth.lease.core.Released;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.AcquireResponse.Outcome;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.Mode;
import dev.plinth.lease.v1.ReleaseResponse;
import dev.plinth.lease.v1.Waiter;
import dev.plinth.server.call.Fields;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Requests checked and turned into the core's terms, and its answers turned back. */
final class LeaseWire {
  static final int MOST_KEY = 256;
  static final int MOST_OWNER = 128;
  static final Duration LEAST_TTL = Duration.ofMillis(100);
  static final Duration MOST_TTL = Duration.ofHours(1);
  static final Duration USUAL_TTL = Duration.ofSeconds(10);
  static final Duration MOST_DELAY = Duration.ofMinutes(5);
  static final Duration MOST_WAIT = Duration.ofHours(1);
  private static final int MOST_PAYLOAD = 4 * 1024;

  private LeaseWire() {}

  static LeaseName name(String namespace, String key) {
    return new LeaseName(Fields.namespace(namespace), Fields.name("key", key, MOST_KEY));
  }

  static LeaseName resource(String namespace, String resource) {
    return new LeaseName(Fields.namespace(namespace), Fields.name("resource", resource, MOST_KEY));
  }

  static Acquire acquire(AcquireRequest request) {
    boolean session = !request.getSessionId().isEmpty();
    if (session && request.hasTtl()) {
      throw Failure.Invalid.field(
          "ttl", Durations.toString(request.getTtl()), "none with a session_id");
    }
    if (session && request.hasLockDelay()) {
      throw Failure.Invalid.field(
          "lock_delay", Durations.toString(request.getLockDelay()), "none with a session_id");
    }
    return new Acquire(
        name(request.getNamespace(), request.getKey()),
        Fields.name("owner_id", request.getOwnerId(), MOST_OWNER),
        Fields.optionalName("session_id", request.getSessionId(), MOST_OWNER),
        ttl(request.hasTtl() ? request.getTtl() : null),
        Fields.duration(
            "wait",
            request.hasWait() ? request.getWait() : null,
            Duration.ZERO,
            Duration.ZERO,
            MOST_WAIT),
        mode(request.getMode()),
        Fields.between("priority", request.getPriority(), -100, 100),
        payload(request.getPayload()),
        lockDelay(request.hasLockDelay() ? request.getLockDelay() : null),
        !Fields.requestId(request.getRequestId()).isEmpty());
  }

  static byte[] payload(ByteString payload) {
    if (payload.size() > MOST_PAYLOAD) {
      throw Failure.Invalid.field(
          "payload", payload.size() + " bytes", "at most " + MOST_PAYLOAD + " bytes");
    }
    return payload.toByteArray();
  }

  /** Null stands for the usual. */
  static Duration ttl(com.google.protobuf.Duration value) {
    return Fields.duration("ttl", value, USUAL_TTL, LEAST_TTL, MOST_TTL);
  }

  static Duration lockDelay(com.google.protobuf.Duration value) {
    return Fields.duration("lock_delay", value, Duration.ZERO, Duration.ZERO, MOST_DELAY);
  }

  static long token(long value) {
    if (value <= 0) {
      throw Failure.Invalid.field("token", value, "a token as granted, above 0");
    }
    return value;
  }

  private static dev.plinth.lease.core.Mode mode(Mode mode) {
    return switch (mode) {
      case MODE_UNSPECIFIED, MODE_EXCLUSIVE -> dev.plinth.lease.core.Mode.EXCLUSIVE;
      case MODE_SHARED -> dev.plinth.lease.core.Mode.SHARED;
      case UNRECOGNIZED ->
          throw Failure.Invalid.field("mode", mode, "MODE_EXCLUSIVE or MODE_SHARED");
    };
  }

  static AcquireResponse response(Acquired acquired) {
    AcquireResponse.Builder response = AcquireResponse.newBuilder();
    if (acquired instanceof Acquired.Granted granted) {
      response.setOutcome(Outcome.OUTCOME_GRANTED).setLease(lease(granted.lease()));
    } else if (acquired instanceof Acquired.Reentered again) {
      response.setOutcome(Outcome.OUTCOME_REENTERED).setLease(lease(again.lease()));
    } else if (acquired instanceof Acquired.Held held) {
      response.setOutcome(Outcome.OUTCOME_HELD).addAllHolders(leases(held.holders()));
    } else if (acquired instanceof Acquired.TimedOut late) {
      response.setOutcome(Outcome.OUTCOME_TIMED_OUT).addAllHolders(leases(late.holders()));
    } else if (acquired instanceof Acquired.Delayed delayed) {
      response.setOutcome(Outcome.OUTCOME_DELAYED).setRetryAfter(duration(delayed.retryAfter()));
    }
    return response.build();
  }

  static ReleaseResponse response(Released released) {
    ReleaseResponse.Outcome outcome =
        switch (released) {
          case RELEASED -> ReleaseResponse.Outcome.OUTCOME_RELEASED;
          case STILL_HELD -> ReleaseResponse.Outcome.OUTCOME_STILL_HELD;
          case NOT_HELD -> ReleaseResponse.Outcome.OUTCOME_NOT_HELD;
        };
    return ReleaseResponse.newBuilder().setOutcome(outcome).build();
  }

  static List<Lease> leases(List<LeaseView> views) {
    return views.stream().map(LeaseWire::lease).toList();
  }

  static Lease lease(LeaseView view) {
    return Lease.newBuilder()
        .setNamespace(view.name().namespace())
        .setKey(view.name().key())
        .setOwnerId(view.ownerId())
        .setSessionId(view.sessionId())
        .setToken(view.token())
        .setTtl(duration(view.ttl()))
        .setMode(mode(view.mode()))
        .setPayload(ByteString.copyFrom(view.payload()))
        .setEntries(view.entries())
        .setAcquiredAt(timestamp(view.acquiredAt()))
        .setPayloadVersion(view.payloadVersion())
        .setConfirmed(view.confirmed())
        .build();
  }

  static Waiter waiter(KeyView.InLine inLine) {
    return Waiter.newBuilder()
        .setOwnerId(inLine.wish().ownerId())
        .setSessionId(inLine.wish().sessionId())
        .setMode(mode(inLine.wish().mode()))
        .setPriority(inLine.wish().priority())
        .setWaited(duration(inLine.waited()))
        .build();
  }

  private static Mode mode(dev.plinth.lease.core.Mode mode) {
    return switch (mode) {
      case EXCLUSIVE -> Mode.MODE_EXCLUSIVE;
      case SHARED -> Mode.MODE_SHARED;
    };
  }

  static com.google.protobuf.Duration duration(Duration duration) {
    return Durations.fromNanos(duration.toNanos());
  }

  private static Timestamp timestamp(Instant instant) {
    return Timestamp.newBuilder()
        .setSeconds(instant.getEpochSecond())
        .setNanos(instant.getNano())
        .build();
  }
}
