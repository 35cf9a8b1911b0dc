package dev.plinth.client.limit;

import com.google.protobuf.StringValue;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * A server with one thread, behind interceptors; it answers each word with the same word. A word
 * may make its handler do something else.
 */
final class GuardedServer implements AutoCloseable {
  private static final MethodDescriptor<StringValue, StringValue> TALK = method("Talk");

  final List<String> heard = new CopyOnWriteArrayList<>();
  final List<ServerCallStreamObserver<StringValue>> talks = new CopyOnWriteArrayList<>();
  volatile Consumer<String> onWord = word -> {};
  volatile boolean ended;
  volatile boolean requestsItself = true;
  volatile Context last = Context.ROOT;

  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final Server server;
  private final ManagedChannel channel;

  GuardedServer(ServerInterceptor... interceptors) {
    String name = InProcessServerBuilder.generateName();
    ServerServiceDefinition service =
        ServerServiceDefinition.builder("test.TalkService")
            .addMethod(TALK, ServerCalls.asyncBidiStreamingCall(this::talk))
            .build();
    try {
      server =
          InProcessServerBuilder.forName(name)
              .executor(thread)
              .addService(ServerInterceptors.interceptForward(service, interceptors))
              .build()
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    channel = InProcessChannelBuilder.forName(name).build();
  }

  private StreamObserver<StringValue> talk(StreamObserver<StringValue> to) {
    ServerCallStreamObserver<StringValue> answers = (ServerCallStreamObserver<StringValue>) to;
    if (!requestsItself) {
      answers.disableAutoRequest();
    }
    answers.setOnCancelHandler(() -> {});
    talks.add(answers);
    last = Context.current();
    return new StreamObserver<>() {
      @Override
      public void onNext(StringValue word) {
        heard.add(word.getValue());
        onWord.accept(word.getValue());
        if (!ended) {
          to.onNext(word);
        }
      }

      @Override
      public void onError(Throwable failure) {
        heard.add("cancelled");
      }

      @Override
      public void onCompleted() {
        to.onCompleted();
      }
    };
  }

  /** A call that is under way. */
  static final class Talk extends ClientCall.Listener<StringValue> {
    final CompletableFuture<Status> ended = new CompletableFuture<>();
    final CompletableFuture<Metadata> headers = new CompletableFuture<>();
    final List<String> answers = new CopyOnWriteArrayList<>();
    volatile Metadata trailers;
    private final ClientCall<StringValue, StringValue> call;

    private Talk(ClientCall<StringValue, StringValue> call) {
      this.call = call;
    }

    Talk say(String... words) {
      for (String word : words) {
        call.sendMessage(StringValue.of(word));
      }
      return this;
    }

    Talk finish() {
      call.halfClose();
      return this;
    }

    void cancel() {
      call.cancel("enough", null);
    }

    @Override
    public void onHeaders(Metadata lines) {
      headers.complete(lines);
    }

    @Override
    public void onMessage(StringValue word) {
      answers.add(word.getValue());
    }

    @Override
    public void onClose(Status status, Metadata lines) {
      trailers = lines;
      ended.complete(status);
    }
  }

  Talk talk(Metadata headers) {
    Talk talk = new Talk(channel.newCall(TALK, CallOptions.DEFAULT));
    talk.call.start(talk, headers);
    talk.call.request(1000);
    return talk;
  }

  /** A whole call with one word. */
  Talk one(String word) {
    Metadata headers = new Metadata();
    headers.put(Metadata.Key.of("tenant", Metadata.ASCII_STRING_MARSHALLER), "acme");
    return talk(headers).say(word).finish();
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.shutdownNow();
    thread.shutdownNow();
  }

  private static MethodDescriptor<StringValue, StringValue> method(String name) {
    return MethodDescriptor.<StringValue, StringValue>newBuilder()
        .setType(MethodType.BIDI_STREAMING)
        .setFullMethodName(MethodDescriptor.generateFullMethodName("test.TalkService", name))
        .setRequestMarshaller(ProtoUtils.marshaller(StringValue.getDefaultInstance()))
        .setResponseMarshaller(ProtoUtils.marshaller(StringValue.getDefaultInstance()))
        .build();
  }
}
