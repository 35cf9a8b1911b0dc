package dev.plinth.lease.grpc;

import dev.plinth.lease.core.Leases;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.AcquireSetRequest;
import dev.plinth.lease.v1.AcquireSetResponse;
import dev.plinth.lease.v1.AcquireStreamRequest;
import dev.plinth.lease.v1.AcquireStreamResponse;
import dev.plinth.lease.v1.CloseSessionRequest;
import dev.plinth.lease.v1.CloseSessionResponse;
import dev.plinth.lease.v1.ConfirmRequest;
import dev.plinth.lease.v1.ConfirmResponse;
import dev.plinth.lease.v1.ForceReleaseRequest;
import dev.plinth.lease.v1.ForceReleaseResponse;
import dev.plinth.lease.v1.GetFenceRequest;
import dev.plinth.lease.v1.GetFenceResponse;
import dev.plinth.lease.v1.GetLeaseRequest;
import dev.plinth.lease.v1.GetLeaseResponse;
import dev.plinth.lease.v1.GetPolicyRequest;
import dev.plinth.lease.v1.GetPolicyResponse;
import dev.plinth.lease.v1.HeartbeatRequest;
import dev.plinth.lease.v1.HeartbeatResponse;
import dev.plinth.lease.v1.HistoryRequest;
import dev.plinth.lease.v1.HistoryResponse;
import dev.plinth.lease.v1.KeepSessionRequest;
import dev.plinth.lease.v1.KeepSessionResponse;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.ListLeasesRequest;
import dev.plinth.lease.v1.ListLeasesResponse;
import dev.plinth.lease.v1.ListWaitersRequest;
import dev.plinth.lease.v1.ListWaitersResponse;
import dev.plinth.lease.v1.OpenSessionRequest;
import dev.plinth.lease.v1.OpenSessionResponse;
import dev.plinth.lease.v1.RaiseFenceRequest;
import dev.plinth.lease.v1.RaiseFenceResponse;
import dev.plinth.lease.v1.ReleaseRequest;
import dev.plinth.lease.v1.ReleaseResponse;
import dev.plinth.lease.v1.RenewRequest;
import dev.plinth.lease.v1.RenewResponse;
import dev.plinth.lease.v1.SetPolicyRequest;
import dev.plinth.lease.v1.SetPolicyResponse;
import dev.plinth.lease.v1.TransferRequest;
import dev.plinth.lease.v1.TransferResponse;
import dev.plinth.lease.v1.UpdatePayloadRequest;
import dev.plinth.lease.v1.UpdatePayloadResponse;
import dev.plinth.lease.v1.ValidateRequest;
import dev.plinth.lease.v1.ValidateResponse;
import dev.plinth.lease.v1.WatchRequest;
import dev.plinth.lease.v1.WatchResponse;
import dev.plinth.shards.grpc.ShardCalls;
import io.grpc.stub.StreamObserver;

/** {@code plinth.lease.v1.LeaseService}. A namespace is the shard key of all that is in it. */
public final class LeaseEndpoint extends LeaseServiceGrpc.LeaseServiceImplBase {
  private final ShardCalls<Leases> calls;
  private final SessionCalls sessions;
  private final AcquireCalls acquires;
  private final HoldCalls holds;
  private final LeaseQueryCalls keys;
  private final OperatorCalls operators;

  public LeaseEndpoint(ShardCalls<Leases> calls) {
    this.calls = calls;
    this.sessions = new SessionCalls(calls);
    this.acquires = new AcquireCalls(calls);
    this.holds = new HoldCalls(calls);
    this.keys = new LeaseQueryCalls(calls);
    this.operators = new OperatorCalls(calls);
  }

  @Override
  public void openSession(OpenSessionRequest request, StreamObserver<OpenSessionResponse> to) {
    sessions.open(request, to);
  }

  @Override
  public void heartbeat(HeartbeatRequest request, StreamObserver<HeartbeatResponse> to) {
    sessions.heartbeat(request, to);
  }

  @Override
  public StreamObserver<KeepSessionRequest> keepSession(StreamObserver<KeepSessionResponse> to) {
    return new SessionStream(calls, to);
  }

  @Override
  public void closeSession(CloseSessionRequest request, StreamObserver<CloseSessionResponse> to) {
    sessions.close(request, to);
  }

  @Override
  public void acquire(AcquireRequest request, StreamObserver<AcquireResponse> to) {
    acquires.acquire(request, to);
  }

  @Override
  public void acquireStream(
      AcquireStreamRequest request, StreamObserver<AcquireStreamResponse> to) {
    acquires.acquireStream(request, to);
  }

  @Override
  public void acquireSet(AcquireSetRequest request, StreamObserver<AcquireSetResponse> to) {
    acquires.acquireSet(request, to);
  }

  @Override
  public void renew(RenewRequest request, StreamObserver<RenewResponse> to) {
    holds.renew(request, to);
  }

  @Override
  public void release(ReleaseRequest request, StreamObserver<ReleaseResponse> to) {
    holds.release(request, to);
  }

  @Override
  public void transfer(TransferRequest request, StreamObserver<TransferResponse> to) {
    holds.transfer(request, to);
  }

  @Override
  public void confirm(ConfirmRequest request, StreamObserver<ConfirmResponse> to) {
    holds.confirm(request, to);
  }

  @Override
  public void updatePayload(
      UpdatePayloadRequest request, StreamObserver<UpdatePayloadResponse> to) {
    holds.updatePayload(request, to);
  }

  @Override
  public void validate(ValidateRequest request, StreamObserver<ValidateResponse> to) {
    keys.validate(request, to);
  }

  @Override
  public void raiseFence(RaiseFenceRequest request, StreamObserver<RaiseFenceResponse> to) {
    keys.raiseFence(request, to);
  }

  @Override
  public void getFence(GetFenceRequest request, StreamObserver<GetFenceResponse> to) {
    keys.getFence(request, to);
  }

  @Override
  public void getLease(GetLeaseRequest request, StreamObserver<GetLeaseResponse> to) {
    keys.getLease(request, to);
  }

  @Override
  public void listLeases(ListLeasesRequest request, StreamObserver<ListLeasesResponse> to) {
    keys.listLeases(request, to);
  }

  @Override
  public void listWaiters(ListWaitersRequest request, StreamObserver<ListWaitersResponse> to) {
    keys.listWaiters(request, to);
  }

  @Override
  public void watch(WatchRequest request, StreamObserver<WatchResponse> to) {
    keys.watch(request, to);
  }

  @Override
  public void history(HistoryRequest request, StreamObserver<HistoryResponse> to) {
    operators.history(request, to);
  }

  @Override
  public void forceRelease(ForceReleaseRequest request, StreamObserver<ForceReleaseResponse> to) {
    operators.forceRelease(request, to);
  }

  @Override
  public void setPolicy(SetPolicyRequest request, StreamObserver<SetPolicyResponse> to) {
    operators.setPolicy(request, to);
  }

  @Override
  public void getPolicy(GetPolicyRequest request, StreamObserver<GetPolicyResponse> to) {
    operators.getPolicy(request, to);
  }
}
