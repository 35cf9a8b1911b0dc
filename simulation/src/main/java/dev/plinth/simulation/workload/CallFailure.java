package dev.plinth.simulation.workload;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import dev.plinth.shards.ShardFailures;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.util.EnumSet;
import java.util.Set;

/**
 * Why an attempt failed, as its caller may take it.
 *
 * @param reason of the error's details; empty if it has none
 * @param none whether it surely had no effect
 */
public record CallFailure(Status.Code code, String reason, boolean none) {
  private static final Set<Status.Code> RETRIED =
      EnumSet.of(
          Status.Code.UNAVAILABLE,
          Status.Code.DEADLINE_EXCEEDED,
          Status.Code.CANCELLED,
          Status.Code.RESOURCE_EXHAUSTED);

  /** Only our own mistakes end so. */
  private static final Set<Status.Code> BUGS =
      EnumSet.of(
          Status.Code.INTERNAL,
          Status.Code.UNKNOWN,
          Status.Code.DATA_LOSS,
          Status.Code.UNIMPLEMENTED,
          Status.Code.UNAUTHENTICATED,
          Status.Code.PERMISSION_DENIED);

  public static CallFailure of(Throwable thrown) {
    com.google.rpc.Status status = StatusProto.fromThrowable(thrown);
    Status.Code code = Status.fromThrowable(thrown).getCode();
    for (Any detail : status == null ? java.util.List.<Any>of() : status.getDetailsList()) {
      if (detail.is(ErrorInfo.class)) {
        return of(code, detail);
      }
    }
    return new CallFailure(code, "", false);
  }

  private static CallFailure of(Status.Code code, Any detail) {
    try {
      ErrorInfo info = detail.unpack(ErrorInfo.class);
      String effect = info.getMetadataOrDefault(ShardFailures.EFFECT, "");
      return new CallFailure(code, info.getReason(), effect.equals(ShardFailures.NO_EFFECT));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
  }

  public boolean isRetried() {
    return RETRIED.contains(code);
  }

  public boolean isBug() {
    return BUGS.contains(code);
  }

  /** Nothing was changed by the attempt: it says so, or it is a refusal. */
  public boolean hadNoEffect() {
    return none || !isRetried() || code == Status.Code.RESOURCE_EXHAUSTED;
  }
}
