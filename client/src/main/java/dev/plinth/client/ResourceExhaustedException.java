package dev.plinth.client;

import dev.plinth.client.internal.ErrorDetails;
import io.grpc.StatusRuntimeException;
import java.time.Duration;

/**
 * A limit of the server's or of the namespace's policy: {@link #reason} is {@code QUEUE_FULL},
 * {@code QUOTA_EXCEEDED}, {@code RATE_EXCEEDED} or {@code OVERLOADED}. It was still so when the
 * caller's time was over, or would have been.
 */
public final class ResourceExhaustedException extends CallFailedException {
  private static final long serialVersionUID = 1;

  private final Duration retryAfter;

  ResourceExhaustedException(
      String method, StatusRuntimeException failure, boolean earlierMayHaveApplied) {
    super(method, failure, earlierMayHaveApplied);
    this.retryAfter = ErrorDetails.retryDelay(failure).orElse(Duration.ZERO);
  }

  /** When it may help to ask again; zero if the server did not say. */
  public Duration retryAfter() {
    return retryAfter;
  }
}
