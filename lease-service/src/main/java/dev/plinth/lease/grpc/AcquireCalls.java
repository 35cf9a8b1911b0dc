package dev.plinth.lease.grpc;

import dev.plinth.lease.core.Acquire;
import dev.plinth.lease.core.Caller;
import dev.plinth.lease.core.Leases;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.AcquireSetRequest;
import dev.plinth.lease.v1.AcquireSetResponse;
import dev.plinth.lease.v1.AcquireStreamRequest;
import dev.plinth.lease.v1.AcquireStreamResponse;
import dev.plinth.shards.MappedReply;
import dev.plinth.shards.grpc.SerialStream;
import dev.plinth.shards.grpc.ShardCalls;
import dev.plinth.shards.grpc.ShardCalls.Mutation;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;

/** The calls that take keys. */
final class AcquireCalls {
  private final ShardCalls<Leases> calls;

  AcquireCalls(ShardCalls<Leases> calls) {
    this.calls = calls;
  }

  void acquire(AcquireRequest request, StreamObserver<AcquireResponse> to) {
    Acquire wish = AcquireWire.acquire(request);
    CompletableFuture<AcquireResponse> call =
        calls.mutate(
            new Mutation<>(
                namespace(wish), request.getRequestId(), request, AcquireResponse.parser()),
            (leases, tx, reply) ->
                leases.acquire(
                    wish, Caller.of(new MappedReply<>(reply, AcquireWire::response)), tx),
            to);
    leaveWithTheCaller(wish, call);
  }

  void acquireSet(AcquireSetRequest request, StreamObserver<AcquireSetResponse> to) {
    Acquire wish = AcquireWire.acquire(request);
    CompletableFuture<AcquireSetResponse> call =
        calls.mutate(
            new Mutation<>(
                namespace(wish), request.getRequestId(), request, AcquireSetResponse.parser()),
            (leases, tx, reply) ->
                leases.acquire(
                    wish, Caller.of(new MappedReply<>(reply, AcquireWire::setResponse)), tx),
            to);
    leaveWithTheCaller(wish, call);
  }

  private void leaveWithTheCaller(Acquire wish, CompletableFuture<?> call) {
    if (!wish.patience().orElseThrow().isZero()) {
      calls.whenAbandoned(call, (leases, tx, reply) -> leases.abandon(wish, tx), namespace(wish));
      if (wish.patient()) {
        // Sent again it is joined to the wish in line, which was passed over in between.
        calls.tell(namespace(wish), (leases, tx, reply) -> leases.comeBack(wish, tx));
      }
    }
  }

  void acquireStream(AcquireStreamRequest request, StreamObserver<AcquireStreamResponse> to) {
    Acquire wish = AcquireWire.acquire(request);
    calls.followMutation(
        namespace(wish),
        (leases, tx, feed) -> leases.acquire(wish, new AcquireFeed(feed), tx),
        (leases, tx, reply) -> leases.abandon(wish, tx),
        new SerialStream<>(to));
  }

  static String namespace(Acquire wish) {
    return wish.wants().get(0).name().namespace();
  }
}
