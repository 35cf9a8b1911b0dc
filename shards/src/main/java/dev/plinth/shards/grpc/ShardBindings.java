package dev.plinth.shards.grpc;

import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import dev.plinth.server.call.CallDeclaration;
import dev.plinth.server.call.StatusMappingInterceptor;
import dev.plinth.shards.Command;
import dev.plinth.shards.ShardApp;
import dev.plinth.shards.Shards;
import dev.plinth.shards.StateFunction;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Binds the methods of a service to commands on its shards, each as its proto declares it. There is
 * one line for each method; {@link #build} fails if one is missing.
 *
 * @param <S> the state that the service keeps in a shard
 */
public final class ShardBindings<S> {
  private final Shards shards;
  private final ShardApp<S> app;
  private final ShardCalls<S> calls;
  private final ServerServiceDefinition.Builder service;

  public ShardBindings(ServiceDescriptor service, Shards shards, ShardApp<S> app) {
    this.shards = shards;
    this.app = app;
    this.calls = new ShardCalls<>(shards, app);
    this.service = ServerServiceDefinition.builder(service);
  }

  /**
   * A call that one command answers.
   *
   * @param handler gets the namespace and the request, checks its fields, and makes the command
   */
  public <Q extends Message, R extends Message> ShardBindings<S> command(
      MethodDescriptor<Q, R> method, BiFunction<String, Q, Command<S, R>> handler) {
    return call(method, call -> call.run(handler.apply(call.namespace(), call.request())));
  }

  /**
   * Like {@link #command}, for a call that is answered at once.
   *
   * @param handler gets the namespace and the request, checks its fields, and says what decides
   */
  public <Q extends Message, R extends Message> ShardBindings<S> answer(
      MethodDescriptor<Q, R> method, BiFunction<String, Q, StateFunction<S, R>> handler) {
    return command(method, (namespace, request) -> handler.apply(namespace, request).asCommand());
  }

  /** A call that needs more than a command: a wait that can be abandoned, a stream. */
  public <Q extends Message, R extends Message> ShardBindings<S> call(
      MethodDescriptor<Q, R> method, Consumer<ShardCall<S, Q, R>> handler) {
    CallDeclaration declaration = CallDeclaration.of(method);
    Parser<R> answers = parser(method);
    UnaryCall<Q, R> start =
        (request, to) -> handler.accept(new ShardCall<>(calls, declaration, answers, request, to));
    return bind(
        method,
        method.getType().serverSendsOneMessage()
            ? ServerCalls.asyncUnaryCall(start::invoke)
            : ServerCalls.asyncServerStreamingCall(start::invoke));
  }

  /**
   * A call that is answered without a command on the shard, such as from a store of its own.
   *
   * @param handler gets the namespace and the request, checks its fields, and answers in its time
   */
  public <Q extends Message, R extends Message> ShardBindings<S> async(
      MethodDescriptor<Q, R> method, BiFunction<String, Q, CompletionStage<R>> handler) {
    CallDeclaration declaration = CallDeclaration.of(method);
    return bind(
        method,
        ServerCalls.asyncUnaryCall(
            (request, to) ->
                answer(handler.apply(RequestShard.namespace(declaration, request), request), to)));
  }

  /** Answers a unary call when a stage is complete. */
  public static <R> void answer(CompletionStage<R> stage, StreamObserver<R> to) {
    stage.whenComplete(
        (answer, thrown) -> {
          if (thrown == null) {
            to.onNext(answer);
            to.onCompleted();
          } else {
            to.onError(StatusMappingInterceptor.answering(thrown));
          }
        });
  }

  @FunctionalInterface
  private interface UnaryCall<Q, R> {
    void invoke(Q request, StreamObserver<R> to);
  }

  /** A stream of messages in both directions; its handler finds the shard by the first one. */
  public <Q, R> ShardBindings<S> stream(
      MethodDescriptor<Q, R> method,
      BiFunction<ShardCalls<S>, StreamObserver<R>, StreamObserver<Q>> handler) {
    return bind(method, ServerCalls.asyncBidiStreamingCall(to -> handler.apply(calls, to)));
  }

  /**
   * A watch: a snapshot, then events, from where the request's {@code resume_token} says.
   *
   * @param handler gets the namespace and the request, checks its fields, and says what of the
   *     shard is watched
   */
  public <Q extends Message, R extends Message, V> ShardBindings<S> watch(
      MethodDescriptor<Q, R> method, BiFunction<String, Q, WatchedEvents<S, V, R>> handler) {
    CallDeclaration declaration = CallDeclaration.of(method);
    WatchMessages<R> messages = new WatchMessages<>(prototype(method));
    return bind(
        method,
        ServerCalls.asyncServerStreamingCall(
            (request, to) -> {
              RequestShard routed = RequestShard.of(declaration, request, shards);
              WatchCall.start(
                  calls,
                  routed.shard(),
                  WatchMessages.resumeToken(request),
                  handler.apply(routed.namespace(), request),
                  messages,
                  (ServerCallStreamObserver<R>) to);
            }));
  }

  /** A list over all shards, in pages. */
  @SuppressWarnings("unchecked") // a response is made from the prototype of its method
  public <Q extends Message, R extends Message, V> ShardBindings<S> pages(
      MethodDescriptor<Q, R> method,
      ShardPages.Source<S, V> source,
      ShardPages.Names<V> names,
      Function<V, ? extends Message> toMessage) {
    ShardPages<S, V> pages = new ShardPages<>(shards, app, source, names, toMessage);
    Message response = prototype(method);
    return bind(
        method,
        ServerCalls.asyncUnaryCall(
            (request, to) -> pages.list(request, response, (StreamObserver<Message>) to)));
  }

  private <Q, R> ShardBindings<S> bind(
      MethodDescriptor<Q, R> method, ServerCallHandler<Q, R> handler) {
    CallDeclaration.of(method);
    service.addMethod(method, handler);
    return this;
  }

  @SuppressWarnings("unchecked") // the parser of a message is of its type
  private static <R extends Message> Parser<R> parser(MethodDescriptor<?, R> method) {
    return (Parser<R>) prototype(method).getParserForType();
  }

  static <R> R prototype(MethodDescriptor<?, R> method) {
    return ((PrototypeMarshaller<R>) method.getResponseMarshaller()).getMessagePrototype();
  }

  public BindableService build() {
    ServerServiceDefinition definition = service.build();
    return () -> definition;
  }
}
