package dev.plinth.client.id;

import java.time.Duration;

/**
 * There is no id to be had now: the ranges are used up and no other came in time, the worker id is
 * lost, or time in ids would run too far ahead of the clock. Nothing was handed out.
 */
public final class IdsUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Duration retryAfter;

  IdsUnavailableException(String message, Duration retryAfter, Throwable cause) {
    super(message, cause);
    this.retryAfter = retryAfter;
  }

  IdsUnavailableException(String message, Duration retryAfter) {
    this(message, retryAfter, null);
  }

  /** When it may help to ask again; zero if that is not known. */
  public Duration retryAfter() {
    return retryAfter;
  }
}
