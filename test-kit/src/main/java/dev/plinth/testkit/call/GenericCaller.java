package dev.plinth.testkit.call;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Every call of some services, by the type of its request. */
public final class GenericCaller {
  private final Map<Descriptor, MethodDescriptor<?, ?>> methods = new LinkedHashMap<>();

  public GenericCaller(ServiceDescriptor... services) {
    for (ServiceDescriptor service : services) {
      service.getMethods().forEach(method -> methods.put(request(method), method));
    }
  }

  private static Descriptor request(MethodDescriptor<?, ?> method) {
    var schema = (ProtoMethodDescriptorSupplier) method.getSchemaDescriptor();
    return schema.getMethodDescriptor().getInputType();
  }

  /** The types of all requests. */
  public Set<Descriptor> requests() {
    return methods.keySet();
  }

  /** Sends one request; a stream that takes more stays open. */
  public RecordedStream<Message, Message> send(Channel channel, Message request) {
    @SuppressWarnings("unchecked") // the method that has this request
    var method = (MethodDescriptor<Message, Message>) methods.get(request.getDescriptorForType());
    RecordedStream<Message, Message> recordedStream = new RecordedStream<>();
    StreamObserver<Message> requests =
        ClientCalls.asyncBidiStreamingCall(
            channel.newCall(method, CallOptions.DEFAULT), recordedStream);
    requests.onNext(request);
    if (method.getType().clientSendsOneMessage()) {
      requests.onCompleted();
    }
    return recordedStream;
  }
}
