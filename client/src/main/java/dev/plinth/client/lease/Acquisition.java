package dev.plinth.client.lease;

import dev.plinth.client.internal.ClientWire;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.AcquireSetRequest;
import dev.plinth.lease.v1.AcquireSetResponse;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * One acquire call, for a key or for a set of keys.
 *
 * @param request makes a request of its own, with an id of its own, for a session id; it is
 *     answered at once
 * @param waiting the same request with a time to wait, which is another one each time it is sent
 * @param cancellation takes the request back; its answer tells how that ended
 * @param granted what the answer grants; empty if nothing
 * @param fresh of what was granted, all that this owner did not hold before
 */
record Acquisition<Q, A>(
    MethodDescriptor<Q, A> method,
    Function<String, Q> request,
    BiFunction<Q, Duration, Q> waiting,
    UnaryOperator<Q> cancellation,
    Function<A, List<Lease>> granted,
    Function<A, List<Lease>> fresh) {
  static Acquisition<AcquireRequest, AcquireResponse> of(
      AcquireRequest spec, Supplier<String> requestIds) {
    return new Acquisition<>(
        LeaseServiceGrpc.getAcquireMethod(),
        session -> spec.toBuilder().setSessionId(session).setRequestId(requestIds.get()).build(),
        (request, wait) -> request.toBuilder().setWait(ClientWire.duration(wait)).build(),
        request -> request.toBuilder().setCancel(true).build(),
        answer ->
            switch (answer.getOutcome()) {
              case OUTCOME_GRANTED, OUTCOME_REENTERED -> List.of(answer.getLease());
              default -> List.of();
            },
        answer ->
            answer.getOutcome() == AcquireResponse.Outcome.OUTCOME_GRANTED
                ? List.of(answer.getLease())
                : List.of());
  }

  static Acquisition<AcquireSetRequest, AcquireSetResponse> of(
      AcquireSetRequest spec, Supplier<String> requestIds) {
    return new Acquisition<>(
        LeaseServiceGrpc.getAcquireSetMethod(),
        session -> spec.toBuilder().setSessionId(session).setRequestId(requestIds.get()).build(),
        (request, wait) -> request.toBuilder().setWait(ClientWire.duration(wait)).build(),
        request -> request.toBuilder().setCancel(true).build(),
        answer ->
            answer.getOutcome() == AcquireSetResponse.Outcome.OUTCOME_GRANTED
                ? answer.getLeasesList()
                : List.of(),
        answer -> answer.getLeasesList().stream().filter(l -> l.getEntries() <= 1).toList());
  }
}
