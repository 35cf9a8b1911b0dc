package dev.plinth.client.lease;

import dev.plinth.client.internal.ClientWire;
import dev.plinth.client.internal.session.ClientSession;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** One key. */
final class KeyAcquisition implements Acquisition<AcquireRequest, AcquireResponse, LeaseHandle> {
  private final AcquireRequest wanted;
  private final LeaseHandleFactory leaseHandleFactory;

  KeyAcquisition(AcquireRequest wanted, LeaseHandleFactory leaseHandleFactory) {
    this.wanted = wanted;
    this.leaseHandleFactory = leaseHandleFactory;
  }

  @Override
  public MethodDescriptor<AcquireRequest, AcquireResponse> method() {
    return LeaseServiceGrpc.getAcquireMethod();
  }

  @Override
  public AcquireRequest request(ClientSession clientSession, Optional<Duration> wait) {
    AcquireRequest.Builder request =
        wanted.toBuilder().setSessionId(clientSession.id()).setRequestId(ClientWire.newRequestId());
    wait.ifPresent(time -> request.setWait(ClientWire.duration(time)));
    return request.build();
  }

  @Override
  public AcquireRequest cancellation(AcquireRequest request) {
    return request.toBuilder().setCancel(true).build();
  }

  @Override
  public Optional<LeaseHandle> granted(AcquireResponse answer, ClientSession clientSession) {
    return switch (answer.getOutcome()) {
      case OUTCOME_GRANTED, OUTCOME_REENTERED ->
          Optional.of(leaseHandleFactory.of(answer.getLease(), clientSession));
      default -> Optional.empty();
    };
  }

  @Override
  public List<Lease> fresh(AcquireResponse answer) {
    return answer.getOutcome() == AcquireResponse.Outcome.OUTCOME_GRANTED
        ? List.of(answer.getLease())
        : List.of();
  }

  @Override
  public void release(LeaseHandle granted) {
    granted.closeLater();
  }

  @Override
  public void undo(LeaseHandle granted) {
    granted.undo();
  }
}
