package dev.plinth.simulation.workload;

import com.google.protobuf.util.Durations;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.ForceReleaseRequest;
import dev.plinth.lease.v1.GetLeaseRequest;
import dev.plinth.lease.v1.GetLeaseResponse;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.Mode;
import dev.plinth.lease.v1.ReleaseRequest;
import dev.plinth.lease.v1.ReleaseResponse;
import dev.plinth.lease.v1.RenewItem;
import dev.plinth.lease.v1.RenewRequest;
import dev.plinth.lease.v1.RenewResponse;
import dev.plinth.lease.v1.RenewResult;
import dev.plinth.lease.v1.TransferRequest;
import dev.plinth.lease.v1.TransferResponse;
import dev.plinth.lease.v1.ValidateRequest;
import dev.plinth.lease.v1.ValidateResponse;
import dev.plinth.testkit.lease.LeaseAnswer;
import dev.plinth.testkit.lease.LeaseAnswer.Held;
import dev.plinth.testkit.lease.LeaseAnswer.Outcome;
import dev.plinth.testkit.lease.LeaseCall;
import java.time.Duration;
import java.util.List;

/**
 * The model's calls on single keys as the API has them, and its answers as the model has them.
 *
 * @param spread whether each key has a namespace of its own, so mostly a shard
 */
record KeyedWire(boolean spread) {
  String namespace(String key) {
    return spread ? "keyed-" + key : "keyed";
  }

  AcquireRequest acquire(LeaseCall call, String requestId, Duration wait) {
    return AcquireRequest.newBuilder()
        .setNamespace(namespace(call.key()))
        .setKey(call.key())
        .setOwnerId(call.owner())
        .setMode(call.shared() ? Mode.MODE_SHARED : Mode.MODE_EXCLUSIVE)
        .setTtl(Durations.fromMillis(call.ttl().toMillis()))
        .setWait(Durations.fromMillis(wait.toMillis()))
        .setRequestId(requestId)
        .build();
  }

  static LeaseAnswer acquired(AcquireResponse response) {
    return switch (response.getOutcome()) {
      case OUTCOME_GRANTED -> LeaseAnswer.of(Outcome.GRANTED, held(response.getLease()));
      case OUTCOME_REENTERED -> LeaseAnswer.of(Outcome.REENTERED, held(response.getLease()));
      case OUTCOME_HELD -> LeaseAnswer.of(Outcome.HELD, holds(response.getHoldersList()));
      case OUTCOME_TIMED_OUT -> LeaseAnswer.of(Outcome.TIMED_OUT, holds(response.getHoldersList()));
      default -> throw new AssertionError("not to be expected: " + response);
    };
  }

  RenewRequest renew(LeaseCall call) {
    RenewItem item = RenewItem.newBuilder().setKey(call.key()).setToken(call.token()).build();
    return RenewRequest.newBuilder().setNamespace(namespace(call.key())).addItems(item).build();
  }

  static LeaseAnswer renewed(RenewResponse response) {
    return LeaseAnswer.of(
        response.getResults(0).getState() == RenewResult.State.STATE_RENEWED
            ? Outcome.RENEWED
            : Outcome.LOST);
  }

  ReleaseRequest release(LeaseCall call, String requestId) {
    return ReleaseRequest.newBuilder()
        .setNamespace(namespace(call.key()))
        .setKey(call.key())
        .setToken(call.token())
        .setRequestId(requestId)
        .build();
  }

  static LeaseAnswer released(ReleaseResponse response) {
    return switch (response.getOutcome()) {
      case OUTCOME_RELEASED -> LeaseAnswer.of(Outcome.RELEASED);
      case OUTCOME_STILL_HELD -> LeaseAnswer.of(Outcome.STILL_HELD);
      case OUTCOME_NOT_HELD -> LeaseAnswer.of(Outcome.NOT_HELD);
      default -> throw new AssertionError("not to be expected: " + response);
    };
  }

  TransferRequest transfer(LeaseCall call, String requestId) {
    return TransferRequest.newBuilder()
        .setNamespace(namespace(call.key()))
        .setKey(call.key())
        .setToken(call.token())
        .setToOwnerId(call.owner())
        .setRequestId(requestId)
        .build();
  }

  static LeaseAnswer transferred(TransferResponse response) {
    return response.getOutcome() == TransferResponse.Outcome.OUTCOME_TRANSFERRED
        ? LeaseAnswer.of(Outcome.TRANSFERRED, held(response.getLease()))
        : LeaseAnswer.of(Outcome.NOT_HELD);
  }

  ForceReleaseRequest force(LeaseCall call, String requestId) {
    return ForceReleaseRequest.newBuilder()
        .setNamespace(namespace(call.key()))
        .setKey(call.key())
        .setReason("a test")
        .setRequestId(requestId)
        .build();
  }

  ValidateRequest validate(LeaseCall call) {
    return ValidateRequest.newBuilder()
        .setNamespace(namespace(call.key()))
        .setKey(call.key())
        .setToken(call.token())
        .build();
  }

  static LeaseAnswer validated(ValidateResponse response) {
    return response.getOutcome() == ValidateResponse.Outcome.OUTCOME_VALID
        ? LeaseAnswer.of(Outcome.VALID)
        : LeaseAnswer.stale(response.getCurrentToken());
  }

  GetLeaseRequest read(LeaseCall call) {
    return GetLeaseRequest.newBuilder()
        .setNamespace(namespace(call.key()))
        .setKey(call.key())
        .build();
  }

  static LeaseAnswer shown(GetLeaseResponse response) {
    return LeaseAnswer.of(Outcome.SHOWN, holds(response.getHoldersList()));
  }

  static List<Held> holds(List<Lease> leases) {
    return leases.stream().map(KeyedWire::held).toList();
  }

  private static Held held(Lease lease) {
    boolean shared = lease.getMode() == Mode.MODE_SHARED;
    return new Held(lease.getOwnerId(), lease.getToken(), shared, lease.getEntries());
  }
}
