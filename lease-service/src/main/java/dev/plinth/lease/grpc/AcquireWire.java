package dev.plinth.lease.grpc;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.plinth.lease.core.AcquireCall;
import dev.plinth.lease.core.AcquireResult;
import dev.plinth.lease.core.AcquireSpec;
import dev.plinth.lease.core.KeyRequest;
import dev.plinth.lease.core.LeaseMode;
import dev.plinth.lease.core.LeaseName;
import dev.plinth.lease.core.LeaseOwner;
import dev.plinth.lease.core.NamespacePolicy;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.AcquireSetItem;
import dev.plinth.lease.v1.AcquireSetRequest;
import dev.plinth.lease.v1.AcquireSetResponse;
import dev.plinth.lease.v1.AcquireStreamRequest;
import dev.plinth.lease.v1.Mode;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.grpc.ShardCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Requests for keys, checked, and how they ended. */
final class AcquireWire {
  static final int MAX_ITEMS = 32;
  private static final int MAX_WEIGHT = 1_000_000;

  private AcquireWire() {}

  static AcquireSpec acquire(ShardCall<?, AcquireRequest, ?> call) {
    AcquireRequest request = call.request();
    return acquire(
        call.namespace(),
        request,
        Optional.of(wait(request.hasWait(), request.getWait())),
        nameOf(call));
  }

  static AcquireCall nameOf(ShardCall<?, ?, ?> call) {
    return call.requestId().isEmpty()
        ? AcquireCall.ofOne()
        : AcquireCall.of(call.requestId(), call.fingerprint());
  }

  /** A stream waits, unless told otherwise, for as long as it is open. */
  static AcquireSpec acquireStream(String namespace, AcquireStreamRequest stream) {
    Optional<Duration> wait =
        stream.hasWait() ? Optional.of(wait(true, stream.getWait())) : Optional.empty();
    return acquire(namespace, sameFields(stream), wait, AcquireCall.ofStream());
  }

  /** The two have the same fields under the same numbers. */
  private static AcquireRequest sameFields(AcquireStreamRequest stream) {
    try {
      return AcquireRequest.parseFrom(stream.toByteString());
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("AcquireStreamRequest is not an AcquireRequest", e);
    }
  }

  private static AcquireSpec acquire(
      String namespace, AcquireRequest request, Optional<Duration> wait, AcquireCall call) {
    LeaseName name = LeaseWire.name(namespace, request.getKey());
    LeaseOwner party = party(request.getOwnerId(), request.getSessionId());
    return new AcquireSpec(
        List.of(keyRequest("", name, request.getMode(), request.getWeight())),
        party,
        own(party, "ttl", LeaseWire.ttl(request.hasTtl(), request.getTtl())),
        own(
            party,
            "lock_delay",
            LeaseWire.lockDelay(request.hasLockDelay(), request.getLockDelay())),
        wait,
        priority(request.getPriority()),
        LeaseWire.payload("payload", request.getPayload()),
        call);
  }

  static AcquireSpec acquireSet(ShardCall<?, AcquireSetRequest, ?> call) {
    AcquireSetRequest request = call.request();
    LeaseOwner party = party(request.getOwnerId(), request.getSessionId());
    return new AcquireSpec(
        keyRequests(call.namespace(), request.getItemsList()),
        party,
        own(party, "ttl", LeaseWire.ttl(request.hasTtl(), request.getTtl())),
        own(
            party,
            "lock_delay",
            LeaseWire.lockDelay(request.hasLockDelay(), request.getLockDelay())),
        Optional.of(wait(request.hasWait(), request.getWait())),
        priority(request.getPriority()),
        LeaseWire.payload("payload", request.getPayload()),
        nameOf(call));
  }

  private static LeaseOwner party(String owner, String session) {
    return new LeaseOwner(
        FieldChecks.name("owner_id", owner, LeaseWire.MAX_OWNER),
        FieldChecks.optionalName("session_id", session, LeaseWire.MAX_OWNER));
  }

  /** What a lease has of its own, a session's has not. */
  private static Optional<Duration> own(LeaseOwner party, String field, Optional<Duration> value) {
    if (value.isPresent() && !party.sessionId().isEmpty()) {
      throw Failure.Invalid.field(field, FieldChecks.text(value.get()), "none with a session_id");
    }
    return value;
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

  private static KeyRequest keyRequest(String path, LeaseName name, Mode wireMode, int weight) {
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

  private static LeaseMode mode(String field, Mode mode) {
    return switch (mode) {
      case MODE_UNSPECIFIED, MODE_EXCLUSIVE -> LeaseMode.EXCLUSIVE;
      case MODE_SHARED -> LeaseMode.SHARED;
      case MODE_SEMAPHORE -> LeaseMode.SEMAPHORE;
      case UNRECOGNIZED ->
          throw Failure.Invalid.field(field, mode, "MODE_EXCLUSIVE, MODE_SHARED or MODE_SEMAPHORE");
    };
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

  /** How a request ended that was cancelled before it arrived. */
  static AcquireResponse cancelled() {
    return AcquireResponse.newBuilder()
        .setOutcome(AcquireResponse.Outcome.OUTCOME_TIMED_OUT)
        .build();
  }

  static AcquireSetResponse cancelledSet() {
    return AcquireSetResponse.newBuilder()
        .setOutcome(AcquireSetResponse.Outcome.OUTCOME_TIMED_OUT)
        .build();
  }

  static AcquireResponse response(AcquireResult result) {
    AcquireResponse.Builder response = AcquireResponse.newBuilder();
    if (result instanceof AcquireResult.Granted granted) {
      response
          .setOutcome(AcquireResponse.Outcome.OUTCOME_GRANTED)
          .setLease(LeaseWire.lease(granted.leases().get(0)));
    } else if (result instanceof AcquireResult.Reentered again) {
      response
          .setOutcome(AcquireResponse.Outcome.OUTCOME_REENTERED)
          .setLease(LeaseWire.lease(again.lease()));
    } else if (result instanceof AcquireResult.Blocked blocked) {
      response
          .setOutcome(
              blocked instanceof AcquireResult.Held
                  ? AcquireResponse.Outcome.OUTCOME_HELD
                  : AcquireResponse.Outcome.OUTCOME_TIMED_OUT)
          .addAllHolders(LeaseWire.leases(blocked.holders()))
          .setHoldersTotal(blocked.holderCount())
          .setPosition(blocked.position());
    } else if (result instanceof AcquireResult.Delayed delayed) {
      response
          .setOutcome(AcquireResponse.Outcome.OUTCOME_DELAYED)
          .setRetryAfter(FieldChecks.wire(delayed.retryAfter()));
    }
    return response.build();
  }

  static AcquireSetResponse setResponse(AcquireResult result) {
    AcquireSetResponse.Builder response = AcquireSetResponse.newBuilder();
    if (result instanceof AcquireResult.Granted granted) {
      response
          .setOutcome(AcquireSetResponse.Outcome.OUTCOME_GRANTED)
          .addAllLeases(LeaseWire.leases(granted.leases()));
    } else if (result instanceof AcquireResult.Reentered again) {
      response
          .setOutcome(AcquireSetResponse.Outcome.OUTCOME_GRANTED)
          .addLeases(LeaseWire.lease(again.lease()));
    } else if (result instanceof AcquireResult.Blocked blocked) {
      response
          .setOutcome(
              blocked instanceof AcquireResult.Held
                  ? AcquireSetResponse.Outcome.OUTCOME_HELD
                  : AcquireSetResponse.Outcome.OUTCOME_TIMED_OUT)
          .addAllBlockingKeys(blocked.blockingKeys());
    } else if (result instanceof AcquireResult.Delayed delayed) {
      response
          .setOutcome(AcquireSetResponse.Outcome.OUTCOME_DELAYED)
          .addAllBlockingKeys(delayed.blockingKeys())
          .setRetryAfter(FieldChecks.wire(delayed.retryAfter()));
    }
    return response.build();
  }
}
