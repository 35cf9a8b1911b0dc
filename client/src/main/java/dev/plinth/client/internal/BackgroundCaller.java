package dev.plinth.client.internal;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Calls that nobody waits for, sent again from the client's own thread until they are answered. */
public final class BackgroundCaller {
  private static final Duration PER_CALL = Duration.ofSeconds(10);
  private static final Duration NO_END = Duration.ofDays(1);

  private final Channel channel;
  private final RetrySchedule rule;
  private final ClientEventLoop thread;

  public BackgroundCaller(Channel channel, RetrySchedule rule, ClientEventLoop thread) {
    this.channel = channel;
    this.rule = rule;
    this.thread = thread;
  }

  /** Tries until answered, refused, or no longer wanted. */
  public <Q, A> void run(
      MethodDescriptor<Q, A> method, Q request, BooleanSupplier wanted, Consumer<A> then) {
    thread.execute(() -> new BackgroundCall<>(method, request, wanted, then).send());
  }

  private final class BackgroundCall<Q, A> {
    private final MethodDescriptor<Q, A> method;
    private final Q request;
    private final BooleanSupplier wanted;
    private final Consumer<A> then;
    private int failures;

    BackgroundCall(
        MethodDescriptor<Q, A> method, Q request, BooleanSupplier wanted, Consumer<A> then) {
      this.method = method;
      this.request = request;
      this.wanted = wanted;
      this.then = then;
    }

    void send() {
      if (!wanted.getAsBoolean()) {
        return;
      }
      CallOptions options =
          CallOptions.DEFAULT
              .withExecutor(thread)
              .withDeadlineAfter(PER_CALL.toNanos(), TimeUnit.NANOSECONDS);
      ClientCalls.asyncUnaryCall(channel.newCall(method, options), request, answer());
    }

    private StreamObserver<A> answer() {
      return new StreamObserver<>() {
        @Override
        public void onNext(A answer) {
          then.accept(answer);
        }

        @Override
        public void onError(Throwable thrown) {
          rule.pause((StatusRuntimeException) thrown, failures++, NO_END)
              .ifPresent(pause -> thread.after(pause, BackgroundCall.this::send));
        }

        @Override
        public void onCompleted() {
          // The answer was all there is.
        }
      };
    }
  }
}
