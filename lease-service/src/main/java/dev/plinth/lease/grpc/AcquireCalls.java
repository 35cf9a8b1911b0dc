package dev.plinth.lease.grpc;

import com.google.protobuf.Message;
import dev.plinth.lease.core.AcquireListener;
import dev.plinth.lease.core.AcquireSpec;
import dev.plinth.lease.core.Leases;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.AcquireSetRequest;
import dev.plinth.lease.v1.AcquireSetResponse;
import dev.plinth.lease.v1.AcquireStreamRequest;
import dev.plinth.lease.v1.AcquireStreamResponse;
import dev.plinth.shards.MappedReply;
import dev.plinth.shards.grpc.ShardCalls;
import dev.plinth.shards.grpc.ShardCalls.Mutation;
import dev.plinth.shards.grpc.SynchronizedStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;

/** The calls that take keys. */
final class AcquireCalls {
  private final ShardCalls<Leases> calls;

  AcquireCalls(ShardCalls<Leases> calls) {
    this.calls = calls;
  }

  void acquire(AcquireRequest request, StreamObserver<AcquireResponse> to) {
    AcquireSpec spec = AcquireWire.acquire(request);
    String id = request.getRequestId();
    AcquireRequest remembered =
        request.hasWait() || request.getCancel()
            ? request.toBuilder().clearWait().clearCancel().build()
            : request;
    Mutation<AcquireResponse> mutation =
        new Mutation<>(namespace(spec), id, remembered, AcquireResponse.parser());
    if (request.getCancel()) {
      cancel(mutation, AcquireWire.cancelled(id), to);
      return;
    }
    CompletableFuture<AcquireResponse> call =
        calls.mutate(
            mutation,
            (leases, tx, reply) ->
                leases.acquire(
                    spec,
                    AcquireListener.of(id, new MappedReply<>(reply, AcquireWire::response)),
                    tx),
            to);
    leaveWithTheCaller(spec, call);
  }

  void acquireSet(AcquireSetRequest request, StreamObserver<AcquireSetResponse> to) {
    AcquireSpec spec = AcquireWire.acquire(request);
    String id = request.getRequestId();
    AcquireSetRequest remembered =
        request.hasWait() || request.getCancel()
            ? request.toBuilder().clearWait().clearCancel().build()
            : request;
    Mutation<AcquireSetResponse> mutation =
        new Mutation<>(namespace(spec), id, remembered, AcquireSetResponse.parser());
    if (request.getCancel()) {
      cancel(mutation, AcquireWire.cancelledSet(id), to);
      return;
    }
    CompletableFuture<AcquireSetResponse> call =
        calls.mutate(
            mutation,
            (leases, tx, reply) ->
                leases.acquire(
                    spec,
                    AcquireListener.of(id, new MappedReply<>(reply, AcquireWire::setResponse)),
                    tx),
            to);
    leaveWithTheCaller(spec, call);
  }

  /**
   * Under the id of the request to be cancelled, so that its answer is this one's too: the first
   * one's if that has been decided or is still to come, else the given one, for both.
   */
  private <A extends Message> void cancel(Mutation<A> mutation, A otherwise, StreamObserver<A> to) {
    calls.mutate(mutation, (leases, tx, reply) -> reply.send(tx, otherwise), to);
    calls.run(
        mutation.shardKey(),
        (leases, tx, reply) -> leases.cancelWait(mutation.shardKey(), mutation.requestId(), tx));
  }

  private void leaveWithTheCaller(AcquireSpec spec, CompletableFuture<?> call) {
    if (!spec.timeout().orElseThrow().isZero()) {
      calls.whenAbandoned(call, (leases, tx, reply) -> leases.abandon(spec, tx), namespace(spec));
      if (spec.patient()) {
        // Sent again it is joined to the wish in line, which was passed over in between.
        calls.run(namespace(spec), (leases, tx, reply) -> leases.rejoin(spec, tx));
      }
    }
  }

  void acquireStream(AcquireStreamRequest request, StreamObserver<AcquireStreamResponse> to) {
    AcquireSpec spec = AcquireWire.acquire(request);
    calls.mutatingStream(
        namespace(spec),
        (leases, tx, streamReply) -> leases.acquire(spec, new AcquireHoldStream(streamReply), tx),
        (leases, tx, reply) -> leases.abandon(spec, tx),
        new SynchronizedStreamObserver<>(to));
  }

  static String namespace(AcquireSpec spec) {
    return spec.wants().get(0).name().namespace();
  }
}
