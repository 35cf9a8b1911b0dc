package dev.plinth.shards.store.etcd;

import dev.plinth.server.failure.Failure.StoreUnavailable;
import io.etcd.jetcd.common.exception.ErrorCode;
import io.etcd.jetcd.common.exception.EtcdException;
import io.grpc.Status;

/** What the failure of a call to etcd means. */
enum EtcdFailure {
  /** No answer, or one that leaves open whether the request was or will be applied. */
  DOUBTFUL,
  /** The lease has ended; surely not applied. */
  LEASE_GONE,
  /** etcd takes no writes until an operator makes room; surely not applied. */
  NO_SPACE,
  /** Refused for another reason that will not go away by itself; surely not applied. */
  REFUSED;

  static final String ENGINE = "etcd";

  static EtcdFailure of(Throwable failure) {
    Status status = status(failure);
    return switch (status.getCode()) {
      case NOT_FOUND -> LEASE_GONE;
      case RESOURCE_EXHAUSTED -> exhausted(status);
      case INVALID_ARGUMENT,
          PERMISSION_DENIED,
          UNAUTHENTICATED,
          FAILED_PRECONDITION,
          OUT_OF_RANGE,
          UNIMPLEMENTED ->
          REFUSED;
      default -> DOUBTFUL;
    };
  }

  /** etcd has one code for its disk, its queue and the size of a request. */
  private static EtcdFailure exhausted(Status status) {
    String text = String.valueOf(status.getDescription());
    return text.contains("database space exceeded")
        ? NO_SPACE
        : text.contains("received message larger than max") ? REFUSED : DOUBTFUL;
  }

  /** True where the answer was longer than this client takes. */
  static boolean isAnswerTooLong(Throwable failure) {
    Status status = status(failure);
    return status.getCode() == Status.Code.RESOURCE_EXHAUSTED
        && String.valueOf(status.getDescription()).contains("exceeds maximum size");
  }

  private static Status status(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      // jetcd makes this one itself, without a status inside.
      if (cause instanceof EtcdException own && own.getErrorCode() == ErrorCode.NOT_FOUND) {
        return Status.NOT_FOUND.withDescription(own.getMessage());
      }
    }
    return Status.fromThrowable(failure);
  }

  static StoreUnavailable notApplied(String what, Throwable cause) {
    return StoreUnavailable.notApplied(ENGINE, what + why(cause), cause);
  }

  /** Like {@link #notApplied}; where etcd takes no writes at all, it says so. */
  static StoreUnavailable refused(String what, Throwable cause) {
    return of(cause) == NO_SPACE
        ? StoreUnavailable.readOnly(ENGINE, what + why(cause))
        : notApplied(what, cause);
  }

  static StoreUnavailable unknown(String what, Throwable cause) {
    return StoreUnavailable.outcomeUnknown(ENGINE, what + why(cause), cause);
  }

  private static String why(Throwable cause) {
    return cause == null ? "" : ": " + reason(cause);
  }

  /** The innermost message, which is the server's own where it gave one. */
  static String reason(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.getMessage() == null ? root.toString() : root.getMessage();
  }
}
