package dev.plinth.server.call;

import dev.plinth.server.failure.Failure;
import dev.plinth.server.log.LogThrottle;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.InputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Answers requests whose bytes are not a message of their type with INVALID_ARGUMENT. gRPC parses
 * requests before any interceptor runs, and takes an exception there for a bug of the server: it
 * answers UNKNOWN and logs stacks. So the parser hands such a request on as null, which {@link
 * StatusMappingInterceptor} refuses.
 */
public final class MalformedRequests {
  private static final Logger log = System.getLogger("plinth.call");

  private final Counter counter;
  private final LogThrottle lines;

  public MalformedRequests(MeterRegistry meters, LongSupplier nanos) {
    lines = new LogThrottle(nanos);
    counter =
        Counter.builder("plinth.call.malformed")
            .description("Requests whose bytes could not be parsed")
            .register(meters);
  }

  /** The same service, whose requests arrive as null where they cannot be parsed. */
  public ServerServiceDefinition around(ServerServiceDefinition service) {
    ServiceDescriptor.Builder descriptor =
        ServiceDescriptor.newBuilder(service.getServiceDescriptor().getName())
            .setSchemaDescriptor(service.getServiceDescriptor().getSchemaDescriptor());
    List<ServerMethodDefinition<?, ?>> methods = new ArrayList<>();
    service.getMethods().forEach(method -> methods.add(around(method)));
    methods.forEach(method -> descriptor.addMethod(method.getMethodDescriptor()));
    ServerServiceDefinition.Builder parsed = ServerServiceDefinition.builder(descriptor.build());
    methods.forEach(parsed::addMethod);
    return parsed.build();
  }

  private <Q, A> ServerMethodDefinition<Q, A> around(ServerMethodDefinition<Q, A> method) {
    MethodDescriptor<Q, A> plain = method.getMethodDescriptor();
    Marshaller<Q> marshaller = plain.getRequestMarshaller();
    return ServerMethodDefinition.create(
        plain.toBuilder(
                new CheckedMarshaller<>(marshaller, plain.getFullMethodName()),
                plain.getResponseMarshaller())
            .build(),
        method.getServerCallHandler());
  }

  static Failure.Invalid refusal() {
    return Failure.Invalid.field("request", "malformed bytes", "a message of the call's type");
  }

  private void record(String method, RuntimeException why) {
    counter.increment();
    lines
        .next()
        .ifPresent(
            count ->
                log.log(
                    Level.WARNING,
                    count + " malformed requests, the last for " + method + ": " + reason(why)));
  }

  private static String reason(RuntimeException thrown) {
    return String.valueOf(thrown.getCause() == null ? thrown : thrown.getCause().getMessage());
  }

  private final class CheckedMarshaller<Q> implements Marshaller<Q> {
    private final Marshaller<Q> marshaller;
    private final String method;

    CheckedMarshaller(Marshaller<Q> marshaller, String method) {
      this.marshaller = marshaller;
      this.method = method;
    }

    @Override
    public InputStream stream(Q request) {
      return marshaller.stream(request);
    }

    @Override
    public Q parse(InputStream bytes) {
      return parseOrNull(bytes);
    }

    private Q parseOrNull(InputStream bytes) {
      try {
        return marshaller.parse(bytes);
      } catch (RuntimeException e) {
        record(method, e);
        return null;
      }
    }
  }
}
