package dev.plinth.shards.grpc;

import dev.plinth.server.call.CallContext;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.ForwardOutcome;
import dev.plinth.shards.Route;
import dev.plinth.shards.ShardFailures;
import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;

/**
 * Passes a call on to another node, and the answer back, each message when the side that reads it
 * is ready for one. Deadline and cancellation go with the call's context.
 */
final class ForwardedCall<Q, A> extends ServerCall.Listener<Q> {
  /** Where to, and why there. */
  record Target(int shard, Route route, PeerConnections.Connection peer) {}

  private final RoutedCall<Q, A> routed;
  private final ServerCall<Q, A> in;
  private final Target target;
  private final SendTracer sendTracer = new SendTracer();
  private ClientCall<Q, A> out;
  private boolean answered;
  private boolean cancelled;
  private boolean requestWanted;
  private boolean answerWanted;

  ForwardedCall(RoutedCall<Q, A> routed, ServerCall<Q, A> in, Target target) {
    this.routed = routed;
    this.in = in;
    this.target = target;
  }

  void start(Metadata headers, String by) {
    CallOptions options =
        CallOptions.DEFAULT.withStreamTracerFactory(sendTracer); // the deadline is the context's
    out = target.peer().channel().newCall(in.getMethodDescriptor(), options);
    out.start(new ResponseListener(), headersOf(headers, by));
    out.request(1);
  }

  private static Metadata headersOf(Metadata received, String by) {
    Metadata headers = new Metadata();
    headers.merge(received);
    headers.put(CallForwarder.FORWARDED_BY, by);
    // So that both nodes' logs name the call alike.
    CallContext.current()
        .filter(call -> !headers.containsKey(CallContext.ID_HEADER))
        .ifPresent(call -> headers.put(CallContext.ID_HEADER, call.id()));
    return headers;
  }

  @Override
  public void onMessage(Q message) {
    out.sendMessage(message);
    if (out.isReady()) {
      in.request(1);
    } else {
      requestWanted = true;
    }
  }

  @Override
  public void onHalfClose() {
    out.halfClose();
  }

  @Override
  public void onCancel() {
    cancelled = true; // the context has ended the call to the owner
  }

  @Override
  public void onReady() {
    if (answerWanted) {
      answerWanted = false;
      out.request(1);
    }
  }

  private void answer(A message) {
    in.sendMessage(message);
    if (in.isReady()) {
      out.request(1);
    } else {
      answerWanted = true;
    }
  }

  private void end(Status status, Metadata trailers) {
    RemoteCallOutcome remoteCallOutcome = RemoteCallOutcome.of(status, trailers);
    cancelled |= Context.current().isCancelled(); // which ended the call by itself, then
    boolean mayGoOn = !answered && !cancelled;
    if (remoteCallOutcome == RemoteCallOutcome.UNTOUCHED) {
      count(ForwardOutcome.MOVED);
      if (mayGoOn && routed.retry(target.route(), notHere())) {
        return;
      }
    } else if (remoteCallOutcome == RemoteCallOutcome.LOST && !cancelled) {
      count(ForwardOutcome.LOST);
      if (mayGoOn && !sendTracer.begun() && routed.retry(target.route(), notHere())) {
        return;
      }
      close(status);
      return;
    } else {
      count(status.isOk() ? ForwardOutcome.OK : ForwardOutcome.REFUSED);
    }
    in.close(status, trailers);
  }

  private Failure notHere() {
    return ShardFailures.notHere(target.shard(), target.route());
  }

  /** Nobody answered: whether the owner did it is not known. */
  private void close(Status status) {
    String why = status.getDescription() == null ? "connection lost" : status.getDescription();
    in.close(
        Status.UNAVAILABLE.withCause(ShardFailures.ownerLost(target.shard(), target.route(), why)),
        new Metadata());
  }

  private void count(ForwardOutcome result) {
    routed.forwarded(result);
  }

  /** What the other node says, put in the order of the call. */
  private final class ResponseListener extends ClientCall.Listener<A> {
    @Override
    public void onHeaders(Metadata headers) {
      routed.run(
          () -> {
            answered = true;
            in.sendHeaders(headers);
          });
    }

    @Override
    public void onMessage(A message) {
      routed.run(() -> answer(message));
    }

    @Override
    public void onReady() {
      routed.run(
          () -> {
            if (requestWanted) {
              requestWanted = false;
              in.request(1);
            }
          });
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      target.peer().release();
      routed.run(() -> end(status, trailers));
    }
  }

  /** Knows whether anything of a call went out to the network. */
  private static final class SendTracer extends ClientStreamTracer.Factory {
    private volatile boolean begun;

    boolean begun() {
      return begun;
    }

    @Override
    public ClientStreamTracer newClientStreamTracer(
        ClientStreamTracer.StreamInfo info, Metadata headers) {
      return new ClientStreamTracer() {
        @Override
        public void streamCreated(Attributes transport, Metadata sent) {
          begun = true;
        }
      };
    }
  }
}
