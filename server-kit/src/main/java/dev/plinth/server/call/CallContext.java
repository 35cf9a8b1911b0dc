package dev.plinth.server.call;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.HexFormat;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/** The call that the current thread works for, so that each log line can name it. */
public record CallContext(String id, String method, String peer) {
  /** A caller that traces its requests sends its own id; it then stands in our log lines. */
  public static final Metadata.Key<String> ID_HEADER =
      Metadata.Key.of("x-request-id", Metadata.ASCII_STRING_MARSHALLER);

  private static final Context.Key<CallContext> CURRENT = Context.key("plinth-call");
  // Text from outside goes to the log only in a form that cannot forge a line.
  private static final Pattern SAFE_ID = Pattern.compile("[A-Za-z0-9._:-]{1,64}");

  public static Optional<CallContext> current() {
    return Optional.ofNullable(CURRENT.get());
  }

  /**
   * Puts a context around each call.
   *
   * @param random for ids of calls that came without
   */
  public static ServerInterceptor interceptor(RandomGenerator random) {
    return new ServerInterceptor() {
      @Override
      public <Q, A> ServerCall.Listener<Q> interceptCall(
          ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        Context context = Context.current().withValue(CURRENT, of(call, headers, random));
        return Contexts.interceptCall(context, call, headers, next);
      }
    };
  }

  private static CallContext of(ServerCall<?, ?> call, Metadata headers, RandomGenerator random) {
    String asked = headers.get(ID_HEADER);
    boolean usable = asked != null && SAFE_ID.matcher(asked).matches();
    return new CallContext(
        usable ? asked : newId(random),
        call.getMethodDescriptor().getFullMethodName(),
        String.valueOf(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)));
  }

  /** Short enough to read out, wide enough to be unique in the logs one searches. */
  static String newId(RandomGenerator random) {
    return HexFormat.of().toHexDigits(random.nextLong(), 12);
  }
}
