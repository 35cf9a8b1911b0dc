package dev.plinth.lease.core;

import java.time.Duration;
import java.util.List;

/** How a wish for keys ended. */
public sealed interface AcquireResult {
  /** One lease for each key, in the order wished. */
  record Granted(List<LeaseView> leases) implements AcquireResult {}

  /** It was the owner's already, under the same token. */
  record Reentered(LeaseView lease) implements AcquireResult {}

  /**
   * Others have some of the keys, or stand before them.
   *
   * @param holders the first of them
   * @param holderCount how many there are in all
   * @param position in line, had the wish waited
   */
  record Held(List<LeaseView> holders, int holderCount, List<String> blockingKeys, int position)
      implements AcquireResult {}

  /** The wait ran out at this position. */
  record TimedOut(List<LeaseView> holders, int holderCount, List<String> blockingKeys, int position)
      implements AcquireResult {}

  /** A lost holder's lock-delay runs. */
  record Delayed(Duration retryAfter, List<String> blockingKeys) implements AcquireResult {}
}
