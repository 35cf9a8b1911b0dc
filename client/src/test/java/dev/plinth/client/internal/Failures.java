package dev.plinth.client.internal;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;

/** Failed calls as a server would tell them. */
public final class Failures {
  private Failures() {}

  public static StatusRuntimeException plain(Code code) {
    return code.toStatus().asRuntimeException();
  }

  public static StatusRuntimeException withRetryInfo(Code code, Duration delay) {
    return with(
        code, Any.pack(RetryInfo.newBuilder().setRetryDelay(ClientWire.duration(delay)).build()));
  }

  public static StatusRuntimeException sessionExpired() {
    return with(
        Code.FAILED_PRECONDITION,
        Any.pack(ErrorInfo.newBuilder().setReason("SESSION_EXPIRED").build()));
  }

  private static StatusRuntimeException with(Code code, Any detail) {
    return StatusProto.toStatusRuntimeException(
        com.google.rpc.Status.newBuilder().setCode(code.value()).addDetails(detail).build());
  }
}
