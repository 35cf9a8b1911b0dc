package dev.plinth.client.limit;

import dev.plinth.ratelimit.v1.Decision;
import dev.plinth.ratelimit.v1.Verdict;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/** Values on their way to the wire and back. */
final class LimitWire {
  private LimitWire() {}

  static com.google.protobuf.Duration duration(Duration value) {
    return com.google.protobuf.Duration.newBuilder()
        .setSeconds(value.getSeconds())
        .setNanos(value.getNano())
        .build();
  }

  static Duration duration(com.google.protobuf.Duration value) {
    return Duration.ofSeconds(value.getSeconds(), value.getNanos());
  }

  static String newRequestId() {
    return UUID.randomUUID().toString();
  }

  static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  static boolean isAllowed(Decision decision) {
    return decision.getVerdict() == Verdict.VERDICT_ALLOW
        || decision.getVerdict() == Verdict.VERDICT_ALLOW_SHADOW;
  }

  static Optional<Duration> retryAfter(Decision decision) {
    return decision.hasRetryAfter()
        ? Optional.of(duration(decision.getRetryAfter()))
        : Optional.empty();
  }
}
