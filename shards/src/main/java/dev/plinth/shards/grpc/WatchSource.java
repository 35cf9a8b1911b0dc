package dev.plinth.shards.grpc;

import com.google.protobuf.Message;
import dev.plinth.options.v1.CallKind;
import dev.plinth.server.call.CallDeclaration;
import dev.plinth.shards.replica.ReplicaSource;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.Context.CancellableContext;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Watches for a replica, by calls of one method that is declared as a watch.
 *
 * @param <V> a value as the node uses it
 */
public final class WatchSource<Q extends Message, R extends Message, V>
    implements ReplicaSource<V> {
  private final Channel channel;
  private final MethodDescriptor<Q, R> method;
  private final WatchMessages<R> messages;
  private final Function<String, Q> request;
  private final BiFunction<Optional<V>, R, Optional<V>> reader;

  /**
   * @param channel reaches the owner of every key, such as a {@link LoopbackChannel}; its executor
   *     is the replica's thread
   * @param request for a watch of a key, without a resume token
   * @param reader makes the next value of the one before and a message
   */
  public WatchSource(
      Channel channel,
      MethodDescriptor<Q, R> method,
      Function<String, Q> request,
      BiFunction<Optional<V>, R, Optional<V>> reader) {
    if (CallDeclaration.of(method).kind() != CallKind.CALL_KIND_WATCH) {
      throw new IllegalArgumentException(method.getFullMethodName() + " is not a watch");
    }
    this.channel = channel;
    this.method = method;
    this.messages = new WatchMessages<>(ShardBindings.prototype(method));
    this.request = request;
    this.reader = reader;
  }

  @Override
  public Runnable open(String key, String resumeToken, Listener<V> listener) {
    Q resuming = WatchMessages.resuming(request.apply(key), resumeToken);
    // Not the context of whoever used the key first: the watch outlives that call.
    CancellableContext context = Context.ROOT.withCancellation();
    context.run(
        () ->
            ClientCalls.asyncServerStreamingCall(
                channel.newCall(method, CallOptions.DEFAULT), resuming, observer(listener)));
    return () -> context.cancel(null);
  }

  private StreamObserver<R> observer(Listener<V> listener) {
    return new StreamObserver<>() {
      @Override
      public void onNext(R message) {
        if (messages.isGap(message)) {
          listener.onGap();
        } else if (messages.isProgress(message)) {
          listener.onProgress(WatchMessages.resumeToken(message));
        } else {
          listener.onChange(
              before -> reader.apply(before, message), WatchMessages.resumeToken(message));
        }
      }

      @Override
      public void onError(Throwable thrown) {
        listener.onEnd(thrown.getMessage());
      }

      @Override
      public void onCompleted() {
        listener.onEnd("the watch ended");
      }
    };
  }
}
