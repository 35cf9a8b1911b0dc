package dev.plinth.client;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Single attempts of calls whose answers come on the client's own thread. */
final class Attempts {
  private final ManagedChannel channel;
  private final OwnThread thread;

  Attempts(ManagedChannel channel, OwnThread thread) {
    this.channel = channel;
    this.thread = thread;
  }

  /** Never blocks. Fails with a {@link StatusRuntimeException}. */
  <Q, A> CompletableFuture<A> send(MethodDescriptor<Q, A> method, Q request, Duration deadline) {
    CompletableFuture<A> answered = new CompletableFuture<>();
    CallOptions options =
        CallOptions.DEFAULT
            .withExecutor(thread)
            .withDeadlineAfter(deadline.toNanos(), TimeUnit.NANOSECONDS);
    ClientCalls.asyncUnaryCall(channel.newCall(method, options), request, observer(answered));
    return answered;
  }

  private <A> StreamObserver<A> observer(CompletableFuture<A> answered) {
    return new StreamObserver<>() {
      @Override
      public void onNext(A answer) {
        answered.complete(answer);
      }

      @Override
      public void onError(Throwable thrown) {
        reconnect(Status.fromThrowable(thrown).getCode());
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
   * up.
   */
  private void reconnect(Status.Code code) {
    if (code == Status.Code.UNAVAILABLE) {
      channel.resetConnectBackoff();
    } else if (code == Status.Code.DEADLINE_EXCEEDED) {
      channel.enterIdle();
    }
  }
}
