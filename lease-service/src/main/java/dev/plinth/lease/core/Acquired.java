package dev.plinth.lease.core;

import java.time.Duration;
import java.util.List;

/** How a wish for a key ended. */
public sealed interface Acquired {
  record Granted(LeaseView lease) implements Acquired {}

  /** It was the owner's already, under the same token. */
  record Reentered(LeaseView lease) implements Acquired {}

  record Held(List<LeaseView> holders) implements Acquired {}

  record TimedOut(List<LeaseView> holders) implements Acquired {}

  /** A lost holder's lock-delay runs. */
  record Delayed(Duration retryAfter) implements Acquired {}
}
