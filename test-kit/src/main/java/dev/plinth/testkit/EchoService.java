package dev.plinth.testkit;

import com.google.protobuf.StringValue;
import dev.plinth.server.Engine;
import dev.plinth.server.HostedService;
import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.function.BiConsumer;

/** The smallest service there is, with a handler of the test's choice, to try a host with. */
public final class EchoService implements HostedService {
  public static final String NAME = "test.EchoService";
  public static final MethodDescriptor<StringValue, StringValue> SAY =
      method("Say", MethodType.UNARY);
  public static final MethodDescriptor<StringValue, StringValue> LISTEN =
      method("Listen", MethodType.SERVER_STREAMING);

  private final String name;
  private final BiConsumer<StringValue, StreamObserver<StringValue>> handler;
  private final List<Engine> engines;
  private volatile boolean closed;

  public EchoService(
      BiConsumer<StringValue, StreamObserver<StringValue>> handler, Engine... engines) {
    this(NAME, handler, engines);
  }

  private EchoService(
      String name,
      BiConsumer<StringValue, StreamObserver<StringValue>> handler,
      Engine... engines) {
    this.name = name;
    this.handler = handler;
    this.engines = List.of(engines);
  }

  /** Answers what it was told. */
  public static EchoService plain(Engine... engines) {
    return new EchoService(EchoService::echo, engines);
  }

  /** One of several in a process. */
  public static EchoService named(String name) {
    return new EchoService(name, EchoService::echo);
  }

  private static void echo(StringValue request, StreamObserver<StringValue> answer) {
    answer.onNext(request);
    answer.onCompleted();
  }

  /** Says one thing and returns the answer. */
  public static String say(Channel channel, String text) {
    return say(channel, CallOptions.DEFAULT, text);
  }

  public static String say(Channel channel, CallOptions options, String text) {
    return ClientCalls.blockingUnaryCall(channel, SAY, options, StringValue.of(text)).getValue();
  }

  @Override
  public List<BindableService> endpoints() {
    return List.of(
        () ->
            ServerServiceDefinition.builder(name)
                .addMethod(in(name, SAY), ServerCalls.asyncUnaryCall(handler::accept))
                .addMethod(in(name, LISTEN), ServerCalls.asyncServerStreamingCall(handler::accept))
                .build());
  }

  @Override
  public List<Engine> engines() {
    return engines;
  }

  public boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
  }

  private static MethodDescriptor<StringValue, StringValue> in(
      String service, MethodDescriptor<StringValue, StringValue> method) {
    return method.toBuilder()
        .setFullMethodName(
            MethodDescriptor.generateFullMethodName(service, method.getBareMethodName()))
        .build();
  }

  private static MethodDescriptor<StringValue, StringValue> method(String name, MethodType type) {
    return MethodDescriptor.<StringValue, StringValue>newBuilder()
        .setType(type)
        .setFullMethodName(MethodDescriptor.generateFullMethodName(NAME, name))
        .setRequestMarshaller(ProtoUtils.marshaller(StringValue.getDefaultInstance()))
        .setResponseMarshaller(ProtoUtils.marshaller(StringValue.getDefaultInstance()))
        .build();
  }
}
