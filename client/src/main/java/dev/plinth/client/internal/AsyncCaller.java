package dev.plinth.client.internal;

import dev.plinth.client.CallFailedException;
import io.grpc.CallOptions;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Single attempts of calls whose answers come on the event loop. */
public final class AsyncCaller {
  private final ManagedChannel channel;
  private final ClientEventLoop loop;
  private final Deadline.Ticker ticker;
  private final LongSupplier nanos;
  // When the connection was last seen to work, or was last given up.
  private volatile long proven;

  public AsyncCaller(ManagedChannel channel, ClientEnvironment environment) {
    this.channel = channel;
    this.loop = environment.loop();
    this.ticker = environment.machine().ticker();
    this.nanos = environment.nanos();
    this.proven = nanos.getAsLong();
  }

  /** Never blocks nor throws. Fails with a {@link CallFailedException}. */
  public <Q, A> CompletableFuture<A> send(
      MethodDescriptor<Q, A> method, Q request, Duration deadline) {
    CompletableFuture<A> answered = new CompletableFuture<>();
    StreamObserver<A> observer = observer(method, answered);
    CallOptions options =
        CallOptions.DEFAULT
            .withExecutor(loop)
            .withDeadline(Deadline.after(deadline.toNanos(), TimeUnit.NANOSECONDS, ticker));
    // Else it would end with the call that this thread is just handling, which it may outlive.
    try {
      Context.ROOT.run(
          () -> ClientCalls.asyncUnaryCall(channel.newCall(method, options), request, observer));
    } catch (Throwable e) { // of an interceptor, maybe, on a channel that was given
      answered.completeExceptionally(CallFailedException.of(method.getBareMethodName(), e));
    }
    return answered;
  }

  private <A> StreamObserver<A> observer(
      MethodDescriptor<?, A> method, CompletableFuture<A> answered) {
    long sent = nanos.getAsLong();
    return new StreamObserver<>() {
      @Override
      public void onNext(A answer) {
        proven = nanos.getAsLong();
        answered.complete(answer);
      }

      @Override
      public void onError(Throwable thrown) {
        CallFailedException failure = CallFailedException.of(method.getBareMethodName(), thrown);
        reconnect(failure.code(), sent);
        answered.completeExceptionally(failure);
      }

      @Override
      public void onCompleted() {
        // The answer was all there is.
      }
    };
  }

  /**
   * The channel's own backoff before it connects again may be longer than what is to be kept lives,
   * and a connection on which nothing comes back would be used until the operating system gives it
   * up. A call with a short deadline that others outlived says nothing of the connection.
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
