package dev.plinth.standalone.history;

import com.google.protobuf.util.Durations;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.ForceReleaseRequest;
import dev.plinth.lease.v1.GetLeaseRequest;
import dev.plinth.lease.v1.GetLeaseResponse;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceBlockingStub;
import dev.plinth.lease.v1.Mode;
import dev.plinth.lease.v1.ReleaseRequest;
import dev.plinth.lease.v1.ReleaseResponse;
import dev.plinth.lease.v1.RenewItem;
import dev.plinth.lease.v1.RenewRequest;
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
 * The model's calls as the API has them, and its answers as the model has them.
 *
 * @param spread whether each key has a namespace of its own, so mostly a shard
 */
record Wire(String run, boolean spread) {
  String namespace(String key) {
    return spread ? run + "-" + key : run;
  }

  /** One sending of a call. */
  record Sending(LeaseCall call, String requestId, Duration timeout) {}

  LeaseAnswer send(LeaseServiceBlockingStub stub, Sending sending) {
    LeaseCall call = sending.call();
    return switch (call.kind()) {
      case ACQUIRE -> acquired(stub.acquire(acquire(sending)));
      case RENEW -> renewed(stub.renew(renew(call)).getResults(0));
      case RELEASE -> released(stub.release(release(sending)));
      case TRANSFER -> transferred(stub.transfer(transfer(sending)));
      case FORCE_RELEASE ->
          LeaseAnswer.of(
              Outcome.FORCED, holds(stub.forceRelease(force(sending)).getReleasedList()));
      case VALIDATE -> validated(stub.validate(validate(call)));
      case READ -> shown(stub.getLease(read(call)));
    };
  }

  private AcquireRequest acquire(Sending sending) {
    LeaseCall call = sending.call();
    return AcquireRequest.newBuilder()
        .setNamespace(namespace(call.key()))
        .setKey(call.key())
        .setOwnerId(call.owner())
        .setMode(call.shared() ? Mode.MODE_SHARED : Mode.MODE_EXCLUSIVE)
        .setTtl(Durations.fromMillis(call.ttl().toMillis()))
        .setWait(Durations.fromMillis(sending.timeout().toMillis()))
        .setRequestId(sending.requestId())
        .build();
  }

  private static LeaseAnswer acquired(AcquireResponse response) {
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

  static LeaseAnswer renewed(RenewResult result) {
    return LeaseAnswer.of(
        result.getState() == RenewResult.State.STATE_RENEWED ? Outcome.RENEWED : Outcome.LOST);
  }

  private ReleaseRequest release(Sending sending) {
    return ReleaseRequest.newBuilder()
        .setNamespace(namespace(sending.call().key()))
        .setKey(sending.call().key())
        .setToken(sending.call().token())
        .setRequestId(sending.requestId())
        .build();
  }

  private static LeaseAnswer released(ReleaseResponse response) {
    return switch (response.getOutcome()) {
      case OUTCOME_RELEASED -> LeaseAnswer.of(Outcome.RELEASED);
      case OUTCOME_STILL_HELD -> LeaseAnswer.of(Outcome.STILL_HELD);
      case OUTCOME_NOT_HELD -> LeaseAnswer.of(Outcome.NOT_HELD);
      default -> throw new AssertionError("not to be expected: " + response);
    };
  }

  private TransferRequest transfer(Sending sending) {
    return TransferRequest.newBuilder()
        .setNamespace(namespace(sending.call().key()))
        .setKey(sending.call().key())
        .setToken(sending.call().token())
        .setToOwnerId(sending.call().owner())
        .setRequestId(sending.requestId())
        .build();
  }

  private static LeaseAnswer transferred(TransferResponse response) {
    return response.getOutcome() == TransferResponse.Outcome.OUTCOME_TRANSFERRED
        ? LeaseAnswer.of(Outcome.TRANSFERRED, held(response.getLease()))
        : LeaseAnswer.of(Outcome.NOT_HELD);
  }

  private ForceReleaseRequest force(Sending sending) {
    return ForceReleaseRequest.newBuilder()
        .setNamespace(namespace(sending.call().key()))
        .setKey(sending.call().key())
        .setReason("a test")
        .setRequestId(sending.requestId())
        .build();
  }

  private ValidateRequest validate(LeaseCall call) {
    return ValidateRequest.newBuilder()
        .setNamespace(namespace(call.key()))
        .setKey(call.key())
        .setToken(call.token())
        .build();
  }

  private static LeaseAnswer validated(ValidateResponse response) {
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

  private static List<Held> holds(List<Lease> leases) {
    return leases.stream().map(Wire::held).toList();
  }

  private static Held held(Lease lease) {
    boolean shared = lease.getMode() == Mode.MODE_SHARED;
    return new Held(lease.getOwnerId(), lease.getToken(), shared, lease.getEntries());
  }
}
