package dev.plinth.shards.grpc;

import com.google.protobuf.Duration;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.HeartbeatRequest;
import dev.plinth.lease.v1.HeartbeatResponse;
import dev.plinth.lease.v1.KeepSessionRequest;
import dev.plinth.lease.v1.KeepSessionResponse;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.server.Engine;
import dev.plinth.server.HostedService;
import dev.plinth.server.call.CallDeclaration;
import dev.plinth.server.call.StatusMappingInterceptor;
import dev.plinth.shards.Route;
import dev.plinth.shards.ShardFailures;
import io.grpc.BindableService;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;

/** A call of each kind whose requests have a namespace; a test says how one is answered. */
final class BeatService implements HostedService {
  static final String NAME = "test.BeatService";
  static final MethodDescriptor<KeepSessionRequest, KeepSessionResponse> ONE =
      method("One", MethodType.UNARY);
  static final MethodDescriptor<KeepSessionRequest, KeepSessionResponse> MANY =
      method("Many", MethodType.SERVER_STREAMING);
  static final MethodDescriptor<KeepSessionRequest, KeepSessionResponse> BOTH =
      method("Both", MethodType.BIDI_STREAMING);

  static final MethodDescriptor<AcquireRequest, AcquireResponse> WAIT =
      MethodDescriptor.<AcquireRequest, AcquireResponse>newBuilder()
          .setType(MethodType.UNARY)
          .setFullMethodName(MethodDescriptor.generateFullMethodName(NAME, "Wait"))
          .setSchemaDescriptor(LeaseServiceGrpc.getAcquireMethod().getSchemaDescriptor())
          .setRequestMarshaller(ProtoUtils.marshaller(AcquireRequest.getDefaultInstance()))
          .setResponseMarshaller(ProtoUtils.marshaller(AcquireResponse.getDefaultInstance()))
          .build();

  static final MethodDescriptor<HeartbeatRequest, HeartbeatResponse> URGENT =
      MethodDescriptor.<HeartbeatRequest, HeartbeatResponse>newBuilder()
          .setType(MethodType.UNARY)
          .setFullMethodName(MethodDescriptor.generateFullMethodName(NAME, "Urgent"))
          .setSchemaDescriptor(LeaseServiceGrpc.getHeartbeatMethod().getSchemaDescriptor())
          .setRequestMarshaller(ProtoUtils.marshaller(HeartbeatRequest.getDefaultInstance()))
          .setResponseMarshaller(ProtoUtils.marshaller(HeartbeatResponse.getDefaultInstance()))
          .build();

  /** What the endpoint saw of a call. */
  record Seen(Metadata headers, Context context, KeepSessionRequest request) {}

  final Queue<Seen> seen = new ConcurrentLinkedQueue<>();
  final Queue<Throwable> ended = new ConcurrentLinkedQueue<>();
  volatile BiConsumer<KeepSessionRequest, ServerCallStreamObserver<KeepSessionResponse>> handler =
      (request, to) -> {
        to.onNext(answer(request));
        to.onCompleted();
      };

  final Queue<Duration> waits = new ConcurrentLinkedQueue<>();

  /** Whether the next call that waits is refused without an effect. */
  volatile boolean refusing;

  /** A method that no host which starts from now on takes to the owner, if there is one. */
  MethodDescriptor<?, ?> answeredAnywhere;

  private static final Context.Key<Metadata> HEADERS = Context.key("headers");

  static KeepSessionResponse answer(KeepSessionRequest request) {
    return KeepSessionResponse.newBuilder().setSeq(request.getSeq()).build();
  }

  @Override
  public List<BindableService> endpoints() {
    ServerServiceDefinition plain =
        ServerServiceDefinition.builder(NAME)
            .addMethod(ONE, ServerCalls.asyncUnaryCall(this::handle))
            .addMethod(MANY, ServerCalls.asyncServerStreamingCall(this::handle))
            .addMethod(BOTH, ServerCalls.asyncBidiStreamingCall(this::both))
            .addMethod(WAIT, ServerCalls.asyncUnaryCall(this::await))
            .addMethod(URGENT, ServerCalls.asyncUnaryCall((request, to) -> {}))
            .build();
    ServerServiceDefinition noting = ServerInterceptors.intercept(plain, new Noting());
    return List.of(() -> noting);
  }

  private void handle(KeepSessionRequest request, StreamObserver<KeepSessionResponse> to) {
    note(request);
    handler.accept(request, (ServerCallStreamObserver<KeepSessionResponse>) to);
  }

  private void await(AcquireRequest request, StreamObserver<AcquireResponse> to) {
    waits.add(request.getWait());
    if (refusing) {
      refusing = false;
      to.onError(
          StatusMappingInterceptor.answering(
              ShardFailures.notHere(0, new Route(Route.Location.UNOWNED, "", "", 0))));
    } else {
      to.onNext(AcquireResponse.getDefaultInstance());
      to.onCompleted();
    }
  }

  private void note(KeepSessionRequest request) {
    seen.add(new Seen(HEADERS.get(), Context.current(), request));
  }

  private StreamObserver<KeepSessionRequest> both(StreamObserver<KeepSessionResponse> to) {
    return new StreamObserver<>() {
      @Override
      public void onNext(KeepSessionRequest request) {
        note(request);
        to.onNext(answer(request));
      }

      @Override
      public void onError(Throwable thrown) {
        ended.add(thrown);
      }

      @Override
      public void onCompleted() {
        to.onCompleted();
      }
    };
  }

  @Override
  public Optional<CallDeclaration> routing(MethodDescriptor<?, ?> method) {
    return method.equals(answeredAnywhere)
        ? Optional.empty()
        : Optional.of(CallDeclaration.of(method));
  }

  @Override
  public List<Engine> engines() {
    return List.of();
  }

  @Override
  public void close() {}

  private static final class Noting implements ServerInterceptor {
    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
      Context context = Context.current().withValue(HEADERS, headers);
      return Contexts.interceptCall(context, call, headers, next);
    }
  }

  private static MethodDescriptor<KeepSessionRequest, KeepSessionResponse> method(
      String name, MethodType type) {
    return MethodDescriptor.<KeepSessionRequest, KeepSessionResponse>newBuilder()
        .setType(type)
        .setFullMethodName(MethodDescriptor.generateFullMethodName(NAME, name))
        .setSchemaDescriptor(LeaseServiceGrpc.getKeepSessionMethod().getSchemaDescriptor())
        .setRequestMarshaller(ProtoUtils.marshaller(KeepSessionRequest.getDefaultInstance()))
        .setResponseMarshaller(ProtoUtils.marshaller(KeepSessionResponse.getDefaultInstance()))
        .build();
  }
}
