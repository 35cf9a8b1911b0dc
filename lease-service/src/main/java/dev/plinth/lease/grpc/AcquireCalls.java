package dev.plinth.lease.grpc;

import com.google.protobuf.Message;
import dev.plinth.lease.core.AcquireListener;
import dev.plinth.lease.core.AcquireResult;
import dev.plinth.lease.core.AcquireSpec;
import dev.plinth.lease.core.Leases;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.AcquireSetRequest;
import dev.plinth.lease.v1.AcquireSetResponse;
import dev.plinth.lease.v1.AcquireStreamRequest;
import dev.plinth.lease.v1.AcquireStreamResponse;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.StreamReply;
import dev.plinth.shards.grpc.ShardCall;
import java.util.function.Function;

/** The calls that take keys or wait for them. */
final class AcquireCalls {
  private AcquireCalls() {}

  static void acquire(ShardCall<Leases, AcquireRequest, AcquireResponse> call) {
    AcquireSpec spec = AcquireWire.acquire(call);
    if (call.request().getCancel()) {
      cancel(call, spec, AcquireWire.cancelled());
    } else {
      acquire(call, spec, AcquireWire::response);
    }
  }

  static void acquireSet(ShardCall<Leases, AcquireSetRequest, AcquireSetResponse> call) {
    AcquireSpec spec = AcquireWire.acquireSet(call);
    if (call.request().getCancel()) {
      cancel(call, spec, AcquireWire.cancelledSet());
    } else {
      acquire(call, spec, AcquireWire::setResponse);
    }
  }

  /**
   * Under the id of the request to be cancelled, so that its answer is this one's too: the first
   * one's if that has been decided or is still to come, else the given one, for both. Whichever it
   * is, it is kept like the answer of an effect: the request must be refused however late it comes.
   */
  private static <R extends Message> void cancel(
      ShardCall<Leases, ?, R> call, AcquireSpec spec, R otherwise) {
    if (call.requestId().isEmpty()) {
      throw Failure.Invalid.field("cancel", true, "none without a request_id");
    }
    call.settle(
        (leases, tx, reply) -> {
          reply.hadEffect();
          reply.send(tx, otherwise);
        });
    call.thenMutate((leases, tx, reply) -> leases.cancelWait(spec, tx));
  }

  /** A wait ends with its caller. */
  static <R extends Message> void acquire(
      ShardCall<Leases, ?, R> call, AcquireSpec spec, Function<AcquireResult, R> response) {
    call.run((leases, tx, reply) -> leases.acquire(spec, AcquireListener.of(reply, response), tx));
    if (!spec.timeout().orElseThrow().isZero()) {
      call.whenAbandoned((leases, tx, reply) -> leases.abandon(spec, tx));
      if (spec.patient()) {
        // Sent again it is joined to the request in line, which was passed over in between.
        call.enqueue((leases, tx, reply) -> leases.rejoin(spec, tx));
      }
    }
  }

  static void stream(ShardCall<Leases, AcquireStreamRequest, AcquireStreamResponse> call) {
    AcquireSpec spec = AcquireWire.acquireStream(call.namespace(), call.request());
    stream(
        call,
        spec,
        to -> new HoldStream<>(to, HoldStreamWire::acquired, HoldStreamWire::acquireEvent));
  }

  static <R extends Message> void stream(
      ShardCall<Leases, ?, R> call,
      AcquireSpec spec,
      Function<StreamReply<R>, AcquireListener> listener) {
    call.stream(
        (leases, tx, streamReply) -> leases.acquire(spec, listener.apply(streamReply), tx),
        (leases, tx, reply) -> leases.abandon(spec, tx));
  }
}
