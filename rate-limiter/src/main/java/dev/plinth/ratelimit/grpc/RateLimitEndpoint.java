package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.v1.AcquireSlotRequest;
import dev.plinth.ratelimit.v1.AcquireSlotResponse;
import dev.plinth.ratelimit.v1.CheckManyRequest;
import dev.plinth.ratelimit.v1.CheckManyResponse;
import dev.plinth.ratelimit.v1.CheckRequest;
import dev.plinth.ratelimit.v1.CheckResponse;
import dev.plinth.ratelimit.v1.CheckStreamRequest;
import dev.plinth.ratelimit.v1.CheckStreamResponse;
import dev.plinth.ratelimit.v1.DeletePolicyRequest;
import dev.plinth.ratelimit.v1.DeletePolicyResponse;
import dev.plinth.ratelimit.v1.GetPolicyRequest;
import dev.plinth.ratelimit.v1.GetPolicyResponse;
import dev.plinth.ratelimit.v1.InspectRequest;
import dev.plinth.ratelimit.v1.InspectResponse;
import dev.plinth.ratelimit.v1.LeaseBudgetRequest;
import dev.plinth.ratelimit.v1.LeaseBudgetResponse;
import dev.plinth.ratelimit.v1.ListPoliciesRequest;
import dev.plinth.ratelimit.v1.ListPoliciesResponse;
import dev.plinth.ratelimit.v1.PutPolicyRequest;
import dev.plinth.ratelimit.v1.PutPolicyResponse;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.ratelimit.v1.ReleaseSlotRequest;
import dev.plinth.ratelimit.v1.ReleaseSlotResponse;
import dev.plinth.ratelimit.v1.RenewSlotRequest;
import dev.plinth.ratelimit.v1.RenewSlotResponse;
import dev.plinth.ratelimit.v1.ReserveRequest;
import dev.plinth.ratelimit.v1.ReserveResponse;
import dev.plinth.ratelimit.v1.ResetKeyRequest;
import dev.plinth.ratelimit.v1.ResetKeyResponse;
import dev.plinth.ratelimit.v1.ReturnBudgetRequest;
import dev.plinth.ratelimit.v1.ReturnBudgetResponse;
import dev.plinth.ratelimit.v1.SettleRequest;
import dev.plinth.ratelimit.v1.SettleResponse;
import dev.plinth.ratelimit.v1.WatchPoliciesRequest;
import dev.plinth.ratelimit.v1.WatchPoliciesResponse;
import io.grpc.stub.StreamObserver;

/** {@code plinth.ratelimit.v1.RateLimitService}. */
final class RateLimitEndpoint extends RateLimitServiceGrpc.RateLimitServiceImplBase {
  private final CheckCalls checks;
  private final StreamedChecks streams;
  private final ReserveCalls reservations;
  private final LeaseCalls leases;
  private final SlotCalls slots;
  private final PolicyCalls policies;
  private final KeyCalls keys;

  RateLimitEndpoint(Deciding deciding, StreamedChecks streams, PolicyCalls policies) {
    this.checks = streams.checks();
    this.streams = streams;
    this.reservations = new ReserveCalls(deciding);
    this.leases = new LeaseCalls(deciding);
    this.slots = new SlotCalls(deciding);
    this.policies = policies;
    this.keys = new KeyCalls(deciding);
  }

  @Override
  public void check(CheckRequest request, StreamObserver<CheckResponse> to) {
    checks.check(request, to);
  }

  @Override
  public void checkMany(CheckManyRequest request, StreamObserver<CheckManyResponse> to) {
    checks.checkMany(request, to);
  }

  @Override
  public StreamObserver<CheckStreamRequest> checkStream(StreamObserver<CheckStreamResponse> to) {
    return streams.open(to);
  }

  @Override
  public void reserve(ReserveRequest request, StreamObserver<ReserveResponse> to) {
    reservations.reserve(request, to);
  }

  @Override
  public void settle(SettleRequest request, StreamObserver<SettleResponse> to) {
    reservations.settle(request, to);
  }

  @Override
  public void leaseBudget(LeaseBudgetRequest request, StreamObserver<LeaseBudgetResponse> to) {
    leases.lease(request, to);
  }

  @Override
  public void returnBudget(ReturnBudgetRequest request, StreamObserver<ReturnBudgetResponse> to) {
    leases.giveBack(request, to);
  }

  @Override
  public void acquireSlot(AcquireSlotRequest request, StreamObserver<AcquireSlotResponse> to) {
    slots.acquire(request, to);
  }

  @Override
  public void renewSlot(RenewSlotRequest request, StreamObserver<RenewSlotResponse> to) {
    slots.renew(request, to);
  }

  @Override
  public void releaseSlot(ReleaseSlotRequest request, StreamObserver<ReleaseSlotResponse> to) {
    slots.release(request, to);
  }

  @Override
  public void putPolicy(PutPolicyRequest request, StreamObserver<PutPolicyResponse> to) {
    policies.put(request, to);
  }

  @Override
  public void getPolicy(GetPolicyRequest request, StreamObserver<GetPolicyResponse> to) {
    policies.get(request, to);
  }

  @Override
  public void listPolicies(ListPoliciesRequest request, StreamObserver<ListPoliciesResponse> to) {
    policies.list(request, to);
  }

  @Override
  public void deletePolicy(DeletePolicyRequest request, StreamObserver<DeletePolicyResponse> to) {
    policies.delete(request, to);
  }

  @Override
  public void watchPolicies(
      WatchPoliciesRequest request, StreamObserver<WatchPoliciesResponse> to) {
    policies.watch(request, to);
  }

  @Override
  public void inspect(InspectRequest request, StreamObserver<InspectResponse> to) {
    keys.inspect(request, to);
  }

  @Override
  public void resetKey(ResetKeyRequest request, StreamObserver<ResetKeyResponse> to) {
    keys.reset(request, to);
  }
}
