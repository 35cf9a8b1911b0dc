package dev.plinth.client.internal;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.util.Optional;

/** What a failed call tells beyond its code. */
public final class ErrorDetails {
  public static final String SESSION_EXPIRED = "SESSION_EXPIRED";
  public static final String DEADLOCK = "DEADLOCK";

  private ErrorDetails() {}

  public static String reason(Throwable failure) {
    return detail(failure, ErrorInfo.class).map(ErrorInfo::getReason).orElse("");
  }

  public static Optional<Duration> retryDelay(Throwable failure) {
    return detail(failure, RetryInfo.class).map(info -> ClientWire.duration(info.getRetryDelay()));
  }

  private static <T extends Message> Optional<T> detail(Throwable failure, Class<T> type) {
    com.google.rpc.Status status = StatusProto.fromThrowable(failure);
    if (status == null) {
      return Optional.empty();
    }
    for (Any any : status.getDetailsList()) {
      if (any.is(type)) {
        return unpack(any, type);
      }
    }
    return Optional.empty();
  }

  private static <T extends Message> Optional<T> unpack(Any any, Class<T> type) {
    try {
      return Optional.of(any.unpack(type));
    } catch (InvalidProtocolBufferException e) {
      return Optional.empty(); // a detail that cannot be read is none
    }
  }
}
