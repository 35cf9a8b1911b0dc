package dev.plinth.lease.grpc;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.plinth.lease.core.AcquireResult;
import dev.plinth.lease.core.AcquireSpec;
import dev.plinth.lease.core.KeyRequest;
import dev.plinth.lease.core.LeaseMode;
import dev.plinth.lease.core.LeaseName;
import dev.plinth.lease.core.NamespacePolicy;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.AcquireSetItem;
import dev.plinth.lease.v1.AcquireSetRequest;
import dev.plinth.lease.v1.AcquireSetResponse;
import dev.plinth.lease.v1.AcquireStreamRequest;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Wishes for keys, checked, and how they ended. */
final class AcquireWire {
  static final int MAX_ITEMS = 32;
  private static final int MAX_WEIGHT = 1_000_000;

  private AcquireWire() {}

  static AcquireSpec acquire(AcquireRequest request) {
    return acquire(request, Optional.of(wait(request.hasWait(), request.getWait())));
  }

  /** A stream waits, unless told otherwise, for as long as it is open. */
  static AcquireSpec acquire(AcquireStreamRequest stream) {
    AcquireRequest request = sameFields(stream);
    Optional<Duration> wait =
        request.hasWait() ? Optional.of(wait(true, request.getWait())) : Optional.empty();
    AcquireSpec spec = acquire(request, wait);
    return new AcquireSpec(
        spec.wants(),
        spec.ownerId(),
        spec.sessionId(),
        spec.ttl(),
        spec.timeout(),
        spec.priority(),
        spec.payload(),
        spec.lockDelay(),
        true);
  }

  /** The two have the same fields under the same numbers. */
  private static AcquireRequest sameFields(AcquireStreamRequest stream) {
    try {
      return AcquireRequest.parseFrom(stream.toByteString());
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("AcquireStreamRequest is not an AcquireRequest", e);
    }
  }

  private static AcquireSpec acquire(AcquireRequest request, Optional<Duration> timeout) {
    LeaseName name = LeaseWire.name(request.getNamespace(), request.getKey());
    noneWith(request.getSessionId(), "ttl", request.hasTtl(), request.getTtl());
    noneWith(request.getSessionId(), "lock_delay", request.hasLockDelay(), request.getLockDelay());
    return new AcquireSpec(
        List.of(keyRequest("", name, request.getMode(), request.getWeight())),
        FieldChecks.name("owner_id", request.getOwnerId(), LeaseWire.MAX_OWNER),
        FieldChecks.optionalName("session_id", request.getSessionId(), LeaseWire.MAX_OWNER),
        LeaseWire.ttl(request.hasTtl(), request.getTtl()),
        timeout,
        priority(request.getPriority()),
        LeaseWire.payload("payload", request.getPayload()),
        LeaseWire.lockDelay(request.hasLockDelay(), request.getLockDelay()),
        !FieldChecks.requestId(request.getRequestId()).isEmpty(),
        callId(request.getRequestId()));
  }

  static AcquireSpec acquire(AcquireSetRequest request) {
    String namespace = FieldChecks.namespace(request.getNamespace());
    noneWith(request.getSessionId(), "ttl", request.hasTtl(), request.getTtl());
    noneWith(request.getSessionId(), "lock_delay", request.hasLockDelay(), request.getLockDelay());
    return new AcquireSpec(
        keyRequests(namespace, request.getItemsList()),
        FieldChecks.name("owner_id", request.getOwnerId(), LeaseWire.MAX_OWNER),
        FieldChecks.optionalName("session_id", request.getSessionId(), LeaseWire.MAX_OWNER),
        LeaseWire.ttl(request.hasTtl(), request.getTtl()),
        Optional.of(wait(request.hasWait(), request.getWait())),
        priority(request.getPriority()),
        LeaseWire.payload("payload", request.getPayload()),
        LeaseWire.lockDelay(request.hasLockDelay(), request.getLockDelay()),
        !FieldChecks.requestId(request.getRequestId()).isEmpty(),
        callId(request.getRequestId()));
  }

  private static List<KeyRequest> keyRequests(String namespace, List<AcquireSetItem> items) {
    FieldChecks.between("items", items.size(), 1, MAX_ITEMS);
    List<KeyRequest> wants = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      AcquireSetItem item = items.get(i);
      String path = "items[" + i + "].";
      String key = FieldChecks.name(path + "key", item.getKey(), LeaseWire.MAX_KEY);
      if (wants.stream().anyMatch(keyRequest -> keyRequest.name().key().equals(key))) {
        throw Failure.Invalid.field(path + "key", '"' + key + '"', "each key once");
      }
      wants.add(keyRequest(path, new LeaseName(namespace, key), item.getMode(), item.getWeight()));
    }
    return wants;
  }

  private static KeyRequest keyRequest(
      String path, LeaseName name, dev.plinth.lease.v1.Mode wireMode, int weight) {
    LeaseMode leaseMode = mode(path + "mode", wireMode);
    if (leaseMode == LeaseMode.SEMAPHORE) {
      int asked = FieldChecks.between(path + "weight", weight, 0, MAX_WEIGHT);
      return new KeyRequest(name, leaseMode, Math.max(asked, 1));
    }
    if (weight != 0) {
      throw Failure.Invalid.field(path + "weight", weight, "none without MODE_SEMAPHORE");
    }
    return new KeyRequest(name, leaseMode, 0);
  }

  private static LeaseMode mode(String field, dev.plinth.lease.v1.Mode mode) {
    return switch (mode) {
      case MODE_UNSPECIFIED, MODE_EXCLUSIVE -> LeaseMode.EXCLUSIVE;
      case MODE_SHARED -> LeaseMode.SHARED;
      case MODE_SEMAPHORE -> LeaseMode.SEMAPHORE;
      case UNRECOGNIZED ->
          throw Failure.Invalid.field(field, mode, "MODE_EXCLUSIVE, MODE_SHARED or MODE_SEMAPHORE");
    };
  }

  /** Sent again under its request id, a call is joined to the one that waits. */
  static Object callId(String requestId) {
    return requestId.isEmpty() ? new Object() : requestId;
  }

  static int priority(int value) {
    return FieldChecks.between("priority", value, -100, 100);
  }

  static Duration wait(boolean given, com.google.protobuf.Duration value) {
    return FieldChecks.duration(
        "wait",
        given ? value : null,
        Duration.ZERO,
        Duration.ZERO,
        NamespacePolicy.PLATFORM.maxWait());
  }

  private static void noneWith(
      String session, String field, boolean given, com.google.protobuf.Duration value) {
    if (!session.isEmpty() && given) {
      throw Failure.Invalid.field(field, FieldChecks.text(value), "none with a session_id");
    }
  }

  /** How a request ended that was cancelled before it arrived. */
  static AcquireResponse cancelled(String requestId) {
    requireRequestId(requestId);
    return AcquireResponse.newBuilder()
        .setOutcome(AcquireResponse.Outcome.OUTCOME_TIMED_OUT)
        .build();
  }

  static AcquireSetResponse cancelledSet(String requestId) {
    requireRequestId(requestId);
    return AcquireSetResponse.newBuilder()
        .setOutcome(AcquireSetResponse.Outcome.OUTCOME_TIMED_OUT)
        .build();
  }

  private static void requireRequestId(String id) {
    if (id.isEmpty()) {
      throw Failure.Invalid.field("cancel", true, "none without a request_id");
    }
  }

  static AcquireResponse response(AcquireResult acquireResult) {
    AcquireResponse.Builder response = AcquireResponse.newBuilder();
    if (acquireResult instanceof AcquireResult.Granted granted) {
      response
          .setOutcome(AcquireResponse.Outcome.OUTCOME_GRANTED)
          .setLease(LeaseWire.lease(granted.leases().get(0)));
    } else if (acquireResult instanceof AcquireResult.Reentered again) {
      response
          .setOutcome(AcquireResponse.Outcome.OUTCOME_REENTERED)
          .setLease(LeaseWire.lease(again.lease()));
    } else if (acquireResult instanceof AcquireResult.Held held) {
      response
          .setOutcome(AcquireResponse.Outcome.OUTCOME_HELD)
          .addAllHolders(LeaseWire.leases(held.holders()))
          .setHoldersTotal(held.holderCount())
          .setPosition(held.position());
    } else if (acquireResult instanceof AcquireResult.TimedOut late) {
      response
          .setOutcome(AcquireResponse.Outcome.OUTCOME_TIMED_OUT)
          .addAllHolders(LeaseWire.leases(late.holders()))
          .setHoldersTotal(late.holderCount())
          .setPosition(late.position());
    } else if (acquireResult instanceof AcquireResult.Delayed delayed) {
      response
          .setOutcome(AcquireResponse.Outcome.OUTCOME_DELAYED)
          .setRetryAfter(LeaseWire.duration(delayed.retryAfter()));
    }
    return response.build();
  }

  static AcquireSetResponse setResponse(AcquireResult acquireResult) {
    AcquireSetResponse.Builder response = AcquireSetResponse.newBuilder();
    if (acquireResult instanceof AcquireResult.Granted granted) {
      response
          .setOutcome(AcquireSetResponse.Outcome.OUTCOME_GRANTED)
          .addAllLeases(LeaseWire.leases(granted.leases()));
    } else if (acquireResult instanceof AcquireResult.Reentered again) {
      response
          .setOutcome(AcquireSetResponse.Outcome.OUTCOME_GRANTED)
          .addLeases(LeaseWire.lease(again.lease()));
    } else if (acquireResult instanceof AcquireResult.Held held) {
      response
          .setOutcome(AcquireSetResponse.Outcome.OUTCOME_HELD)
          .addAllBlockingKeys(held.blockingKeys());
    } else if (acquireResult instanceof AcquireResult.TimedOut late) {
      response
          .setOutcome(AcquireSetResponse.Outcome.OUTCOME_TIMED_OUT)
          .addAllBlockingKeys(late.blockingKeys());
    } else if (acquireResult instanceof AcquireResult.Delayed delayed) {
      response
          .setOutcome(AcquireSetResponse.Outcome.OUTCOME_DELAYED)
          .addAllBlockingKeys(delayed.blockingKeys())
          .setRetryAfter(LeaseWire.duration(delayed.retryAfter()));
    }
    return response.build();
  }
}
