package dev.plinth.client.internal;

import io.grpc.CallOptions;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Single attempts of calls whose answers come on the client's own thread. */
public final class AsyncCaller {
  private final ManagedChannel channel;
  private final ClientEventLoop thread;
  private final LongSupplier nanos;
  // When the connection was last seen to work, or was last given up.
  private volatile long proven;

  public AsyncCaller(ManagedChannel channel, ClientEventLoop thread, LongSupplier nanos) {
    this.channel = channel;
    this.thread = thread;
    this.nanos = nanos;
    this.proven = nanos.getAsLong();
  }

  /** Never blocks nor throws. Fails with a {@link StatusRuntimeException}. */
  public <Q, A> CompletableFuture<A> send(
      MethodDescriptor<Q, A> method, Q request, Duration deadline) {
    CompletableFuture<A> answered = new CompletableFuture<>();
    CallOptions options =
        CallOptions.DEFAULT
            .withExecutor(thread)
            .withDeadlineAfter(deadline.toNanos(), TimeUnit.NANOSECONDS);
    // Else it would end with the call that this thread is just handling, which it may outlive.
    try {
      Context.ROOT.run(
          () ->
              ClientCalls.asyncUnaryCall(
                  channel.newCall(method, options), request, observer(answered)));
    } catch (Throwable e) { // of an interceptor, maybe, on a channel that was given
      answered.completeExceptionally(Status.fromThrowable(e).asRuntimeException());
    }
    return answered;
  }

  private <A> StreamObserver<A> observer(CompletableFuture<A> answered) {
    long sent = nanos.getAsLong();
    return new StreamObserver<>() {
      @Override
      public void onNext(A answer) {
        proven = nanos.getAsLong();
        answered.complete(answer);
      }

      @Override
      public void onError(Throwable thrown) {
        reconnect(Status.fromThrowable(thrown).getCode(), sent);
        answered.completeExceptionally(thrown);
      }

      @Override
      public void onCompleted() {
        // The answer was all there is.
      }
    };
  }

  /**
   * The channel's own pause before it connects again may be longer than what is to be kept lives,
   * and a connection on which nothing comes back would be used until the operating system gives it
   * up. A call with a short time that others outlived says nothing of the connection.
   */
  private void reconnect(Status.Code code, long sent) {
    if (code == Status.Code.UNAVAILABLE) {
      channel.resetConnectBackoff();
    } else if (code == Status.Code.DEADLINE_EXCEEDED && proven - sent <= 0) {
      proven = nanos.getAsLong();
      channel.enterIdle();
    }
  }
}
