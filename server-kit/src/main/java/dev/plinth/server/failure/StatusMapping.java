package dev.plinth.server.failure;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.util.Durations;
import com.google.rpc.BadRequest;
import com.google.rpc.Code;
import com.google.rpc.ErrorInfo;
import com.google.rpc.PreconditionFailure;
import com.google.rpc.QuotaFailure;
import com.google.rpc.ResourceInfo;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import dev.plinth.error.v1.ErrorReason;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.random.RandomGenerator;

/**
 * The one place where a failure becomes a gRPC status: exactly one {@code ErrorInfo}, then the
 * details that its kind calls for.
 */
public final class StatusMapping {
  public static final String DOMAIN = "plinth.dev";

  private static final String PREFIX = "ERROR_REASON_";
  private static final String DOTS = "...";
  private static final Duration STORE_RETRY = Duration.ofMillis(200);
  // A status leaves as headers, of which gRPC's own clients take 8 KiB: of longer ones they learn
  // nothing, and may lose the connection. The message is in there up to three times, in base64 or
  // as %E2%82%AC.
  private static final int MAX_MESSAGE_BYTES = 900;
  private static final int MAX_VALUE_BYTES = 600;

  private record Kind<F extends Failure>(
      Class<F> type, Code code, BiFunction<F, RandomGenerator, List<Message>> details) {
    Status map(Failure failure, RandomGenerator random) {
      return status(
          code,
          failure.getMessage(),
          wire(failure.reason()),
          failure.metadata(),
          details.apply(type.cast(failure), random));
    }
  }

  private static final List<Kind<?>> KINDS =
      List.of(
          new Kind<>(Failure.Invalid.class, Code.INVALID_ARGUMENT, (f, random) -> badRequest(f)),
          new Kind<>(
              Failure.Missing.class, Code.NOT_FOUND, (f, random) -> resource(f.resource(), f)),
          new Kind<>(
              Failure.Exists.class, Code.ALREADY_EXISTS, (f, random) -> resource(f.resource(), f)),
          new Kind<>(Failure.Conflict.class, Code.ABORTED, (f, random) -> List.of()),
          new Kind<>(
              Failure.Forbidden.class, Code.FAILED_PRECONDITION, (f, random) -> precondition(f)),
          new Kind<>(Failure.OutOfRange.class, Code.OUT_OF_RANGE, (f, random) -> List.of()),
          new Kind<>(Failure.Exhausted.class, Code.RESOURCE_EXHAUSTED, (f, random) -> quota(f)),
          new Kind<>(
              Failure.Unavailable.class,
              Code.UNAVAILABLE,
              (f, random) -> retry(jittered(f.retryAfter(), random))),
          new Kind<>(
              Failure.StoreUnavailable.class,
              Code.UNAVAILABLE,
              (f, random) -> retry(jittered(STORE_RETRY, random))),
          new Kind<>(Failure.Unauthenticated.class, Code.UNAUTHENTICATED, (f, random) -> List.of()),
          new Kind<>(Failure.Denied.class, Code.PERMISSION_DENIED, (f, random) -> List.of()),
          new Kind<>(Failure.Corrupt.class, Code.DATA_LOSS, (f, random) -> List.of()));

  private StatusMapping() {}

  /**
   * @param random for the jitter of what a caller is told to wait
   */
  public static Status of(Failure failure, RandomGenerator random) {
    for (Kind<?> kind : KINDS) {
      if (kind.type == failure.getClass()) {
        return kind.map(failure, random);
      }
    }
    throw new AssertionError("no status for " + failure.getClass());
  }

  /** What a caller learns of an unexpected exception: that it is our bug, and the id to report. */
  public static Status bug(String incident) {
    return status(
        Code.INTERNAL,
        "internal error; report incident " + incident,
        wire(ErrorReason.ERROR_REASON_BUG),
        Map.of("incident", incident),
        List.of());
  }

  /** For a call that outlived the server's cap on deadlines. */
  public static Status deadlineCapped(Duration cap) {
    return status(
        Code.DEADLINE_EXCEEDED,
        "not answered within the server's cap of " + cap.toMillis() + " ms for unary calls",
        wire(ErrorReason.ERROR_REASON_DEADLINE_CAPPED),
        Map.of("capMillis", String.valueOf(cap.toMillis())),
        List.of());
  }

  /** A status that gRPC itself made, with the {@code ErrorInfo} that it lacks. */
  public static Status foreign(Code code, String message) {
    return status(code, message, code.name(), Map.of(), List.of());
  }

  private static Status status(
      Code code,
      String message,
      String reason,
      Map<String, String> metadata,
      List<Message> details) {
    Status.Builder status =
        Status.newBuilder().setCode(code.getNumber()).setMessage(cut(message, MAX_MESSAGE_BYTES));
    ErrorInfo.Builder info = ErrorInfo.newBuilder().setDomain(DOMAIN).setReason(reason);
    metadata.forEach((key, value) -> info.putMetadata(key, cut(value, MAX_VALUE_BYTES)));
    status.addDetails(Any.pack(info.build()));
    details.forEach(detail -> status.addDetails(Any.pack(detail)));
    return status.build();
  }

  /** No more than so many bytes as UTF-8, with dots where something is left out. */
  private static String cut(String text, int maxBytes) {
    ByteString bytes = ByteString.copyFromUtf8(text);
    if (bytes.size() <= maxBytes) {
      return text;
    }
    int end = maxBytes - DOTS.length();
    while ((bytes.byteAt(end) & 0xC0) == 0x80) { // in the middle of a character
      end--;
    }
    return bytes.substring(0, end).toStringUtf8() + DOTS;
  }

  /** A reason as {@code ErrorInfo} carries it. */
  public static String wire(ErrorReason reason) {
    return reason.name().substring(PREFIX.length());
  }

  private static List<Message> badRequest(Failure.Invalid failure) {
    BadRequest.Builder request = BadRequest.newBuilder();
    for (Failure.Invalid.Violation violation : failure.violations()) {
      request
          .addFieldViolationsBuilder()
          .setField(violation.field())
          .setDescription(cut(violation.description(), MAX_MESSAGE_BYTES))
          .setReason(wire(failure.reason()));
    }
    return List.of(request.build());
  }

  private static List<Message> resource(Failure.Resource resource, Failure failure) {
    return List.of(
        ResourceInfo.newBuilder()
            .setResourceType(resource.kind())
            .setResourceName(resource.name())
            .setDescription(cut(failure.getMessage(), MAX_MESSAGE_BYTES))
            .build());
  }

  private static List<Message> precondition(Failure.Forbidden failure) {
    PreconditionFailure.Builder detail = PreconditionFailure.newBuilder();
    detail
        .addViolationsBuilder()
        .setType(wire(failure.reason()))
        .setSubject(failure.subject())
        .setDescription(cut(failure.getMessage(), MAX_MESSAGE_BYTES));
    return List.of(detail.build());
  }

  private static List<Message> quota(Failure.Exhausted failure) {
    QuotaFailure.Builder detail = QuotaFailure.newBuilder();
    detail
        .addViolationsBuilder()
        .setSubject(failure.subject())
        .setDescription(cut(failure.getMessage(), MAX_MESSAGE_BYTES));
    return List.of(detail.build(), retryInfo(failure.retryAfter()));
  }

  private static List<Message> retry(Duration delay) {
    return List.of(retryInfo(delay));
  }

  private static RetryInfo retryInfo(Duration delay) {
    return RetryInfo.newBuilder().setRetryDelay(Durations.fromNanos(delay.toNanos())).build();
  }

  /** Callers cut off together must not come back together. */
  private static Duration jittered(Duration delay, RandomGenerator random) {
    return delay.plusMillis(random.nextLong(delay.toMillis() / 2 + 1));
  }
}
