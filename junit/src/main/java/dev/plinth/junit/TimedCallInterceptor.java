package dev.plinth.junit;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;

/**
 * Counts the calls that a client makes because time has passed, such as heartbeats, so that a move
 * of the clock can wait for their answers. Calls of the test's own threads and streams are left
 * out: they may wait for the next move.
 */
final class TimedCallInterceptor implements ClientInterceptor {
  private final ClockScheduler scheduler;

  TimedCallInterceptor(ClockScheduler scheduler) {
    this.scheduler = scheduler;
  }

  @Override
  public <Q, A> ClientCall<Q, A> interceptCall(
      MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
    ClientCall<Q, A> call = next.newCall(method, options);
    return method.getType() == MethodType.UNARY && scheduler.isCurrent()
        ? new CountedCall<>(call)
        : call;
  }

  private final class CountedCall<Q, A> extends SimpleForwardingClientCall<Q, A> {
    CountedCall(ClientCall<Q, A> call) {
      super(call);
    }

    @Override
    public void start(Listener<A> listener, Metadata headers) {
      scheduler.callStarted();
      super.start(
          new SimpleForwardingClientCallListener<>(listener) {
            @Override
            public void onClose(Status status, Metadata trailers) {
              try {
                super.onClose(status, trailers);
              } finally {
                scheduler.callEnded();
              }
            }
          },
          headers);
    }
  }
}
