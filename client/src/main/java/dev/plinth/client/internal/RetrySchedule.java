package dev.plinth.client.internal;

import dev.plinth.client.CallFailedException;
import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Decides whether a failed call is retried, and when. Every call of this client is a read, a
 * renewal, or carries a request id that stays the same, so a retry is safe; what this decides is
 * whether it can help.
 */
public final class RetrySchedule {
  public static final Duration FIRST_BACKOFF = Duration.ofMillis(100);
  public static final Duration MAX_BACKOFF = Duration.ofSeconds(5);
  private static final int MAX_DOUBLINGS = 10;

  private final RandomGenerator random;

  public RetrySchedule(RandomGenerator random) {
    this.random = random;
  }

  /**
   * The delay before the next attempt, at least as long as the server asked for; empty if a retry
   * cannot help, or not within the time left.
   *
   * @param failures how many attempts failed before this one
   */
  public Optional<Duration> delay(
      CallFailedException failure, int failures, Duration maxBackoff, Duration left) {
    Optional<Duration> requested = ErrorDetails.retryDelay(failure);
    if (!helps(failure, requested.isPresent())) {
      return Optional.empty();
    }
    Duration delay =
        ClientWire.longer(backoff(failures, maxBackoff), requested.orElse(Duration.ZERO));
    return Optional.of(delay).filter(time -> time.compareTo(left) < 0);
  }

  /** Whether the same request may be answered otherwise later. */
  public static boolean isWorthRetrying(CallFailedException failure) {
    return helps(failure, ErrorDetails.retryDelay(failure).isPresent());
  }

  private static boolean helps(CallFailedException failure, boolean hasDelay) {
    return switch (failure.code()) {
      // gRPC says UNKNOWN when a connection breaks in the middle of a write; a server of ours never
      // does.
      case UNAVAILABLE, DEADLINE_EXCEEDED, UNKNOWN -> true;
      case RESOURCE_EXHAUSTED -> hasDelay;
      default -> false;
    };
  }

  /** Full jitter: callers cut off together must not come back together. */
  public Duration backoff(int failures, Duration max) {
    long doubled = FIRST_BACKOFF.toNanos() << Math.min(failures, MAX_DOUBLINGS);
    return Duration.ofNanos(random.nextLong(Math.min(doubled, max.toNanos()) + 1));
  }
}
