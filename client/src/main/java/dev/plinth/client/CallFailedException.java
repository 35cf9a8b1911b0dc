package dev.plinth.client;

import dev.plinth.client.internal.ErrorDetails;
import dev.plinth.error.v1.ErrorReason;
import io.grpc.Status;
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
  private final ErrorReason reason;
  private final boolean earlierMayHaveApplied;

  CallFailedException(
      String method, StatusRuntimeException failure, boolean earlierMayHaveApplied) {
    super(method + ": " + failure.getMessage(), failure);
    this.code = failure.getStatus().getCode();
    this.reason = ErrorDetails.reason(failure);
    this.earlierMayHaveApplied = earlierMayHaveApplied;
  }

  /** What came of a call that failed in this way. */
  public static CallFailedException of(String method, Throwable thrown) {
    return of(method, thrown, false);
  }

  /**
   * Like the other, for a request that was sent before.
   *
   * @param earlierMayHaveApplied whether the server may have done it then; a refusal of a later
   *     attempt says nothing of that
   */
  public static CallFailedException of(
      String method, Throwable thrown, boolean earlierMayHaveApplied) {
    StatusRuntimeException failure =
        thrown instanceof StatusRuntimeException status
            ? status
            : Status.fromThrowable(thrown).asRuntimeException();
    if (ErrorDetails.reason(failure) == ErrorReason.ERROR_REASON_DEADLOCK) {
      return new DeadlockException(method, failure, earlierMayHaveApplied);
    }
    return failure.getStatus().getCode() == Code.RESOURCE_EXHAUSTED
        ? new ResourceExhaustedException(method, failure, earlierMayHaveApplied)
        : new CallFailedException(method, failure, earlierMayHaveApplied);
  }

  public Code code() {
    return code;
  }

  /**
   * The server's reason, such as ERROR_REASON_QUEUE_FULL; UNSPECIFIED if it gave none, UNRECOGNIZED
   * if it is of a newer server.
   */
  public ErrorReason reason() {
    return reason;
  }

  /** Whether the server may have done what was asked, at any attempt, all the same. */
  public boolean mayHaveApplied() {
    return earlierMayHaveApplied
        || UNKNOWN_OUTCOME.contains(code) && !(this instanceof DeadlockException);
  }
}
