package dev.plinth.client.limit;

import com.google.protobuf.Message;
import com.google.rpc.Code;
import com.google.rpc.QuotaFailure;
import com.google.rpc.RetryInfo;
import dev.plinth.client.internal.ClientWire;
import dev.plinth.client.internal.ErrorDetails;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.ratelimit.v1.LimitStatus;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The end of a call that was not admitted, with all that its caller can act upon. */
record CallRejection(StatusRuntimeException status) {
  /** For a caller whom nobody can tell when. */
  static final Duration SOON = Duration.ofSeconds(1);

  /** Over a rate. */
  static CallRejection rate(List<LimitStatus> limits, Optional<Duration> retryAfter) {
    return exhausted(
        ErrorReason.ERROR_REASON_RATE_EXCEEDED, "rate limit exceeded", limits, retryAfter);
  }

  /** As many at a time as there may be. */
  static CallRejection concurrency(List<LimitStatus> limits, Duration retryAfter) {
    return exhausted(
        ErrorReason.ERROR_REASON_QUOTA_EXCEEDED,
        "too many at the same time",
        limits,
        Optional.of(retryAfter));
  }

  /** Nobody could say, and this is a limit that stands all the same. */
  static CallRejection unavailable() {
    return new CallRejection(
        ErrorDetails.refusal(
            Code.UNAVAILABLE,
            ErrorReason.ERROR_REASON_STORE_UNAVAILABLE,
            "the rate-limit service does not answer",
            List.of(retry(SOON))));
  }

  /** The service does not take what is known of the call, so its limits cannot be found. */
  static CallRejection badDescriptors() {
    return new CallRejection(
        ErrorDetails.refusal(
            Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_FIELD_INVALID,
            "the rate-limit service refuses the call's descriptors",
            List.of()));
  }

  private static CallRejection exhausted(
      ErrorReason reason, String what, List<LimitStatus> limits, Optional<Duration> retryAfter) {
    List<LimitStatus> over =
        limits.stream().filter(limit -> limit.getOver() && !limit.getShadow()).toList();
    List<Message> details = new ArrayList<>();
    details.add(violations(over, what));
    retryAfter.map(CallRejection::retry).ifPresent(details::add);
    String rules = over.stream().map(LimitStatus::getRule).collect(Collectors.joining(", "));
    String message = rules.isEmpty() ? what : what + ": " + rules;
    return new CallRejection(
        ErrorDetails.refusal(Code.RESOURCE_EXHAUSTED, reason, message, details));
  }

  private static QuotaFailure violations(List<LimitStatus> over, String what) {
    QuotaFailure.Builder detail = QuotaFailure.newBuilder();
    for (LimitStatus limit : over) {
      detail
          .addViolationsBuilder()
          .setSubject("rule " + limit.getRule())
          .setDescription(what + ": limit " + limit.getLimit() + ", left " + limit.getRemaining());
    }
    if (over.isEmpty()) {
      detail.addViolationsBuilder().setDescription(what);
    }
    return detail.build();
  }

  private static RetryInfo retry(Duration delay) {
    return RetryInfo.newBuilder().setRetryDelay(ClientWire.duration(delay)).build();
  }

  /** The handler never hears of the call. */
  void close(ServerCall<?, ?> call, Metadata lines) {
    Metadata trailers = new Metadata();
    trailers.merge(status.getTrailers());
    trailers.merge(lines);
    call.close(status.getStatus(), trailers);
  }
}
