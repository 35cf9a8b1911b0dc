package dev.plinth.client.limit;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import java.time.Duration;
import java.util.Map;

/** What a response tells of its limits: the lines that the service wrote. */
final class LimitResponseHeaders {
  private static final String RETRY_AFTER = "retry-after";

  private LimitResponseHeaders() {}

  static Metadata of(LimiterDecision limiterDecision) {
    Metadata lines = new Metadata();
    limiterDecision.decision().ifPresent(decision -> put(decision.getHeadersMap(), lines));
    if (limiterDecision.source() == DecisionSource.DENY_CACHE) {
      limiterDecision.retryAfter().ifPresent(time -> replaceRetryAfter(lines, time));
    }
    return lines;
  }

  private static void put(Map<String, String> headers, Metadata lines) {
    headers.forEach((name, value) -> lines.put(key(name), value));
  }

  /** The one of the decision counted from then. */
  private static void replaceRetryAfter(Metadata lines, Duration time) {
    lines.discardAll(key(RETRY_AFTER));
    lines.put(key(RETRY_AFTER), Long.toString(time.plusNanos(999_999_999).toSeconds()));
  }

  private static Metadata.Key<String> key(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  /** Adds the lines to the response's headers, or to its trailers if it has nothing else. */
  static <Q, A> ServerCall<Q, A> adding(Metadata lines, ServerCall<Q, A> call) {
    if (lines.keys().isEmpty()) {
      return call;
    }
    return new SimpleForwardingServerCall<>(call) {
      private boolean sent;

      @Override
      public void sendHeaders(Metadata headers) {
        sent = true;
        headers.merge(lines);
        super.sendHeaders(headers);
      }

      @Override
      public void close(io.grpc.Status status, Metadata trailers) {
        if (!sent) {
          trailers.merge(lines);
        }
        super.close(status, trailers);
      }
    };
  }
}
