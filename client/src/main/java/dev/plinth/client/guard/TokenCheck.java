package dev.plinth.client.guard;

import com.google.rpc.Code;
import dev.plinth.client.internal.ErrorDetails;
import dev.plinth.error.v1.ErrorReason;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.StatusRuntimeException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/** The server's side of {@link TokenInterceptor}. */
final class TokenCheck implements ServerInterceptor {
  private final Map<String, InMemoryGuard> gates = new ConcurrentHashMap<>();
  private final Runnable onStale;

  TokenCheck(Runnable onStale) {
    this.onStale = onStale;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    OptionalLong token = token(headers.get(TokenInterceptor.TOKEN));
    byte[] name = headers.get(TokenInterceptor.RESOURCE);
    if (name == null || token.isEmpty()) {
      return refuse(
          call,
          Code.INVALID_ARGUMENT,
          ErrorReason.ERROR_REASON_FIELD_INVALID,
          "no fencing token, or no number");
    }
    String resource = new String(name, StandardCharsets.UTF_8);
    if (!gates.computeIfAbsent(resource, this::gate).admit(token.getAsLong())) {
      return refuse(
          call,
          Code.FAILED_PRECONDITION,
          ErrorReason.ERROR_REASON_TOKEN_STALE,
          resource + ": a newer holder was here");
    }
    return next.startCall(call, headers);
  }

  private InMemoryGuard gate(String resource) {
    return new InMemoryGuard(resource).onStale(onStale);
  }

  private static OptionalLong token(String text) {
    try {
      return text == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text));
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }

  private static <Q, A> ServerCall.Listener<Q> refuse(
      ServerCall<Q, A> call, Code code, ErrorReason reason, String message) {
    StatusRuntimeException refusal = ErrorDetails.refusal(code, reason, message, List.of());
    call.close(refusal.getStatus(), refusal.getTrailers());
    return new ServerCall.Listener<>() {};
  }
}
