package dev.plinth.client;

import dev.plinth.client.internal.ErrorDetails;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.util.Set;

/** A call that the server refused, or that got no answer within its time. */
public sealed class CallFailedException extends RuntimeException
    permits DeadlockException, ResourceExhaustedException {
  private static final long serialVersionUID = 1;
  private static final Set<Code> UNKNOWN_OUTCOME =
      Set.of(
          Code.UNAVAILABLE,
          Code.DEADLINE_EXCEEDED,
          Code.CANCELLED,
          Code.INTERNAL,
          Code.UNKNOWN,
          Code.ABORTED);

  private final Code code;
  private final String reason;

  CallFailedException(String method, StatusRuntimeException failure) {
    super(method + ": " + failure.getStatus(), failure);
    this.code = failure.getStatus().getCode();
    this.reason = ErrorDetails.reason(failure);
  }

  /** For the client itself. */
  public static CallFailedException of(String method, StatusRuntimeException failure) {
    if (ErrorDetails.DEADLOCK.equals(ErrorDetails.reason(failure))) {
      return new DeadlockException(method, failure);
    }
    return failure.getStatus().getCode() == Code.RESOURCE_EXHAUSTED
        ? new ResourceExhaustedException(method, failure)
        : new CallFailedException(method, failure);
  }

  public Code code() {
    return code;
  }

  /** The server's reason, such as {@code QUEUE_FULL}; empty if it gave none. */
  public String reason() {
    return reason;
  }

  public boolean isSessionExpired() {
    return ErrorDetails.SESSION_EXPIRED.equals(reason);
  }

  /** Whether the server may have done what was asked, all the same. */
  public boolean mayHaveApplied() {
    return UNKNOWN_OUTCOME.contains(code) && !(this instanceof DeadlockException);
  }
}
