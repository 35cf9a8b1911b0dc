package dev.plinth.lease.grpc;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import dev.plinth.lease.v1.ElectionServiceGrpc;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** Every call of both services, by the type of its request. */
final class AnyCall {
  static final Map<Descriptor, MethodDescriptor<?, ?>> METHODS = methods();

  private AnyCall() {}

  private static Map<Descriptor, MethodDescriptor<?, ?>> methods() {
    Map<Descriptor, MethodDescriptor<?, ?>> methods = new LinkedHashMap<>();
    Stream.of(LeaseServiceGrpc.getServiceDescriptor(), ElectionServiceGrpc.getServiceDescriptor())
        .flatMap(service -> service.getMethods().stream())
        .forEach(method -> methods.put(request(method), method));
    return methods;
  }

  private static Descriptor request(MethodDescriptor<?, ?> method) {
    var schema = (ProtoMethodDescriptorSupplier) method.getSchemaDescriptor();
    return schema.getMethodDescriptor().getInputType();
  }

  /** Sends one request; a stream that takes more stays open. */
  static Heard<Message, Message> send(Channel channel, Message request) {
    @SuppressWarnings("unchecked") // the method that has this request
    var method = (MethodDescriptor<Message, Message>) METHODS.get(request.getDescriptorForType());
    Heard<Message, Message> heard = new Heard<>();
    StreamObserver<Message> requests =
        ClientCalls.asyncBidiStreamingCall(channel.newCall(method, CallOptions.DEFAULT), heard);
    requests.onNext(request);
    if (method.getType().clientSendsOneMessage()) {
      requests.onCompleted();
    }
    return heard;
  }
}
