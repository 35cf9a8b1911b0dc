package dev.plinth.client.internal;

import dev.plinth.client.CallFailedException;
import io.grpc.CallOptions;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A stream from the server, or in both directions, opened anew whenever it breaks, until it is
 * stopped. All of it on the event loop, its methods too.
 */
public final class ResumingStream<Q, A> {
  /** Who hears what the stream says. */
  public interface Listener<A> {
    void onMessage(A message);

    /** Whether it takes another message now; if not, {@link ResumingStream#resume} is to follow. */
    default boolean isReady() {
      return true;
    }

    /** Whether it is worth another attempt. */
    default boolean isActive() {
      return true;
    }

    /** It broke, or could not be opened; another attempt follows. */
    default void onBroken(CallFailedException why) {}

    /** The server refused it; nothing follows unless it is opened again. */
    void refused(CallFailedException why);
  }

  private final ManagedChannel channel;
  private final Context life;
  private final ClientEnvironment environment;
  private final MethodDescriptor<Q, A> method;
  private final Duration maxBackoff;
  private final Supplier<Q> requests;
  private final Listener<A> listener;
  // Of the stream that counts; what is left of an earlier one is not heard.
  private int generation;
  private int failures;
  private boolean stopped;
  // The listener has had a message and wants no other yet.
  private boolean paused;
  private ClientCallStreamObserver<Q> call;

  /**
   * @param maxBackoff between two attempts
   * @param requests each opening asks for one
   */
  public ResumingStream(
      ClientRuntime runtime,
      MethodDescriptor<Q, A> method,
      Duration maxBackoff,
      Supplier<Q> requests,
      Listener<A> listener) {
    this.channel = runtime.channel();
    this.life = runtime.life();
    this.environment = runtime.environment();
    this.method = method;
    this.maxBackoff = maxBackoff;
    this.requests = requests;
    this.listener = listener;
  }

  /** Also in place of a stream that is open: that one may have died without a word. */
  public void open() {
    leave();
    if (!stopped && listener.isActive()) {
      life.run(this::call);
    }
  }

  private void call() {
    CallOptions options = CallOptions.DEFAULT.withExecutor(environment.loop());
    int current = generation;
    ResponseReceiver receiver = new ResponseReceiver(current);
    try {
      if (method.getType() == MethodType.BIDI_STREAMING) {
        ClientCalls.asyncBidiStreamingCall(channel.newCall(method, options), receiver)
            .onNext(requests.get());
      } else {
        ClientCalls.asyncServerStreamingCall(
            channel.newCall(method, options), requests.get(), receiver);
      }
    } catch (Throwable e) { // of an interceptor, maybe, on a channel that was given
      if (current == generation) {
        broken(e);
      }
    }
  }

  /** On a stream in both directions, after its first request; dropped while none is open. */
  public void send(Q message) {
    if (call != null) {
      call.onNext(message);
    }
  }

  /** Reads on after the listener was not ready. */
  public void resume() {
    if (call != null && paused) {
      paused = false;
      call.request(1);
    }
  }

  public void stop() {
    stopped = true;
    leave();
  }

  private void leave() {
    generation++;
    if (call != null) {
      call.cancel("the client continues without it", null);
      call = null;
    }
  }

  private void broken(Throwable thrown) {
    CallFailedException failure = CallFailedException.of(method.getBareMethodName(), thrown);
    if (failure.code() == Code.UNAVAILABLE) {
      channel.resetConnectBackoff(); // the channel's own backoff would be longer than ours
    }
    call = null;
    Optional<Duration> delay =
        environment.retries().delay(failure, failures, maxBackoff, RetriedCall.NO_END);
    if (delay.isEmpty()) {
      listener.refused(failure);
      return;
    }
    listener.onBroken(failure);
    failures++;
    int current = generation;
    environment
        .loop()
        .after(
            delay.get(),
            () -> {
              if (generation == current) {
                open();
              }
            });
  }

  private final class ResponseReceiver implements ClientResponseObserver<Q, A> {
    private final int of;

    ResponseReceiver(int of) {
      this.of = of;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<Q> stream) {
      stream.disableAutoRequestWithInitial(1);
      paused = false;
      call = stream;
    }

    @Override
    public void onNext(A message) {
      if (of == generation) {
        failures = 0;
        listener.onMessage(message);
      }
      if (of == generation && call != null) {
        paused = !listener.isReady();
        if (!paused) {
          call.request(1);
        }
      }
    }

    @Override
    public void onError(Throwable thrown) {
      if (of == generation) {
        broken(thrown);
      }
    }

    /** Without a last word that its listener would have stopped at. */
    @Override
    public void onCompleted() {
      if (of == generation) {
        broken(Status.UNAVAILABLE.withDescription("the stream ended").asException());
      }
    }
  }
}
