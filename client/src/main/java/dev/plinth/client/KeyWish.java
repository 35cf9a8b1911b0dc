package dev.plinth.client;

import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** One key. */
final class KeyWish implements Wish<AcquireRequest, AcquireResponse, LeaseHandle> {
  private final AcquireRequest wanted;
  private final Handles handles;

  KeyWish(AcquireRequest wanted, Handles handles) {
    this.wanted = wanted;
    this.handles = handles;
  }

  @Override
  public MethodDescriptor<AcquireRequest, AcquireResponse> method() {
    return LeaseServiceGrpc.getAcquireMethod();
  }

  @Override
  public AcquireRequest request(Session session, Optional<Duration> wait) {
    AcquireRequest.Builder request =
        wanted.toBuilder().setSessionId(session.id()).setRequestId(Wire.newRequestId());
    wait.ifPresent(time -> request.setWait(Wire.duration(time)));
    return request.build();
  }

  @Override
  public AcquireRequest cancellation(AcquireRequest request) {
    return request.toBuilder().setCancel(true).build();
  }

  @Override
  public Optional<LeaseHandle> granted(AcquireResponse answer, Session session) {
    return switch (answer.getOutcome()) {
      case OUTCOME_GRANTED, OUTCOME_REENTERED ->
          Optional.of(handles.of(answer.getLease(), session));
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
  public void giveBack(LeaseHandle granted) {
    granted.closeLater();
  }

  @Override
  public void undo(LeaseHandle granted) {
    granted.undo();
  }
}
