package dev.plinth.client.internal;

import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Decides whether a failed call is sent again, and when. Every call of this client is a read, a
 * renewal, or carries a request id that stays the same, so sending it again is safe; what this
 * decides is whether it can help.
 */
public final class RetrySchedule {
  public static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  public static final Duration MAX_PAUSE = Duration.ofSeconds(5);
  private static final int MAX_DOUBLINGS = 10;

  private final RandomGenerator random;

  public RetrySchedule(RandomGenerator random) {
    this.random = random;
  }

  /**
   * The pause before the next attempt; empty if there must be none, or none within the time left.
   *
   * @param failures how many attempts failed before this one
   */
  public Optional<Duration> pause(StatusRuntimeException failure, int failures, Duration left) {
    Optional<Duration> told = ErrorDetails.retryDelay(failure);
    if (!helps(failure, told.isPresent())) {
      return Optional.empty();
    }
    Duration pause = ClientWire.longer(jittered(failures, MAX_PAUSE), told.orElse(Duration.ZERO));
    return pause.compareTo(left) < 0 ? Optional.of(pause) : Optional.empty();
  }

  private static boolean helps(StatusRuntimeException failure, boolean toldWhen) {
    return switch (failure.getStatus().getCode()) {
      // gRPC says UNKNOWN when a connection breaks in the middle of a write; a server of ours never
      // does.
      case UNAVAILABLE, DEADLINE_EXCEEDED, UNKNOWN -> true;
      case RESOURCE_EXHAUSTED -> toldWhen;
      default -> false;
    };
  }

  /** Full jitter: callers cut off together must not come back together. */
  public Duration jittered(int failures, Duration most) {
    long doubled = FIRST_PAUSE.toNanos() << Math.min(failures, MAX_DOUBLINGS);
    return Duration.ofNanos(random.nextLong(Math.min(doubled, most.toNanos()) + 1));
  }
}
