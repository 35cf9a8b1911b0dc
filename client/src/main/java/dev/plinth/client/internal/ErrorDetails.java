package dev.plinth.client.internal;

import com.google.protobuf.Any;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.Code;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import dev.plinth.error.v1.ErrorReason;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What a failed call tells beyond its code. */
public final class ErrorDetails {
  private static final String DOMAIN = "plinth.dev";
  private static final String PREFIX = "ERROR_REASON_";

  private ErrorDetails() {}

  /** UNSPECIFIED if the failure has no reason; UNRECOGNIZED if this client does not know it. */
  public static ErrorReason reason(Throwable failure) {
    return detail(failure, ErrorInfo.class)
        .map(info -> reason(info.getReason()))
        .orElse(ErrorReason.ERROR_REASON_UNSPECIFIED);
  }

  private static ErrorReason reason(String name) {
    EnumValueDescriptor known = ErrorReason.getDescriptor().findValueByName(PREFIX + name);
    return known == null ? ErrorReason.UNRECOGNIZED : ErrorReason.valueOf(known);
  }

  /** A refusal as the services make it: one {@link ErrorInfo} first, then what else there is. */
  public static StatusRuntimeException refusal(
      Code code, ErrorReason reason, String message, List<? extends Message> details) {
    String name = reason.name().substring(PREFIX.length());
    Status.Builder status = Status.newBuilder().setCode(code.getNumber()).setMessage(message);
    status.addDetails(Any.pack(ErrorInfo.newBuilder().setDomain(DOMAIN).setReason(name).build()));
    details.forEach(detail -> status.addDetails(Any.pack(detail)));
    return StatusProto.toStatusRuntimeException(status.build());
  }

  public static Optional<Duration> retryDelay(Throwable failure) {
    return detail(failure, RetryInfo.class).map(info -> ClientWire.duration(info.getRetryDelay()));
  }

  private static <T extends Message> Optional<T> detail(Throwable failure, Class<T> type) {
    return Optional.ofNullable(StatusProto.fromThrowable(failure))
        .flatMap(s -> s.getDetailsList().stream().filter(any -> any.is(type)).findFirst())
        .flatMap(any -> unpack(any, type));
  }

  private static <T extends Message> Optional<T> unpack(Any any, Class<T> type) {
    try {
      return Optional.of(any.unpack(type));
    } catch (InvalidProtocolBufferException e) {
      return Optional.empty(); // a detail that cannot be read is none
    }
  }
}
