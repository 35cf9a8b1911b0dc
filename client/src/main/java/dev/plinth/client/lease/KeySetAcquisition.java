package dev.plinth.client.lease;

import dev.plinth.client.internal.ClientWire;
import dev.plinth.client.internal.session.ClientSession;
import dev.plinth.lease.v1.AcquireSetRequest;
import dev.plinth.lease.v1.AcquireSetResponse;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Several keys in one step. */
final class KeySetAcquisition
    implements Acquisition<AcquireSetRequest, AcquireSetResponse, LeaseSet> {
  private final AcquireSetRequest wanted;
  private final LeaseHandleFactory leaseHandleFactory;

  KeySetAcquisition(AcquireSetRequest wanted, LeaseHandleFactory leaseHandleFactory) {
    this.wanted = wanted;
    this.leaseHandleFactory = leaseHandleFactory;
  }

  @Override
  public MethodDescriptor<AcquireSetRequest, AcquireSetResponse> method() {
    return LeaseServiceGrpc.getAcquireSetMethod();
  }

  @Override
  public AcquireSetRequest request(ClientSession clientSession, Optional<Duration> wait) {
    AcquireSetRequest.Builder request =
        wanted.toBuilder().setSessionId(clientSession.id()).setRequestId(ClientWire.newRequestId());
    wait.ifPresent(time -> request.setWait(ClientWire.duration(time)));
    return request.build();
  }

  @Override
  public AcquireSetRequest cancellation(AcquireSetRequest request) {
    return request.toBuilder().setCancel(true).build();
  }

  @Override
  public Optional<LeaseSet> granted(AcquireSetResponse answer, ClientSession clientSession) {
    return answer.getOutcome() == AcquireSetResponse.Outcome.OUTCOME_GRANTED
        ? Optional.of(
            new LeaseSet(
                answer.getLeasesList().stream()
                    .map(l -> leaseHandleFactory.of(l, clientSession))
                    .toList()))
        : Optional.empty();
  }

  @Override
  public List<Lease> fresh(AcquireSetResponse answer) {
    return answer.getLeasesList().stream().filter(lease -> lease.getEntries() <= 1).toList();
  }

  @Override
  public void release(LeaseSet granted) {
    granted.closeLater();
  }

  @Override
  public void undo(LeaseSet granted) {
    granted.undo();
  }
}
