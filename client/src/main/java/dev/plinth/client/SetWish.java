package dev.plinth.client;

import dev.plinth.lease.v1.AcquireSetRequest;
import dev.plinth.lease.v1.AcquireSetResponse;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Several keys in one step. */
final class SetWish implements Wish<AcquireSetRequest, AcquireSetResponse, LeaseSet> {
  private final AcquireSetRequest wanted;
  private final Handles handles;

  SetWish(AcquireSetRequest wanted, Handles handles) {
    this.wanted = wanted;
    this.handles = handles;
  }

  @Override
  public MethodDescriptor<AcquireSetRequest, AcquireSetResponse> method() {
    return LeaseServiceGrpc.getAcquireSetMethod();
  }

  @Override
  public AcquireSetRequest request(Session session, Optional<Duration> wait) {
    AcquireSetRequest.Builder request =
        wanted.toBuilder().setSessionId(session.id()).setRequestId(Wire.newRequestId());
    wait.ifPresent(time -> request.setWait(Wire.duration(time)));
    return request.build();
  }

  @Override
  public AcquireSetRequest cancellation(AcquireSetRequest request) {
    return request.toBuilder().setCancel(true).build();
  }

  @Override
  public Optional<LeaseSet> granted(AcquireSetResponse answer, Session session) {
    return answer.getOutcome() == AcquireSetResponse.Outcome.OUTCOME_GRANTED
        ? Optional.of(
            new LeaseSet(answer.getLeasesList().stream().map(l -> handles.of(l, session)).toList()))
        : Optional.empty();
  }

  @Override
  public List<Lease> fresh(AcquireSetResponse answer) {
    return answer.getLeasesList().stream().filter(lease -> lease.getEntries() <= 1).toList();
  }

  @Override
  public void giveBack(LeaseSet granted) {
    granted.closeLater();
  }

  @Override
  public void undo(LeaseSet granted) {
    granted.undo();
  }
}
