package dev.plinth.lease.core;

import java.time.Duration;
import java.util.List;

/** How a request for keys ended. */
public sealed interface AcquireResult {
  /** One lease for each key, in the order asked for. */
  record Granted(List<LeaseView> leases) implements AcquireResult {}

  /** It was the owner's already, under the same token. */
  record Reentered(LeaseView lease) implements AcquireResult {}

  /** Others have some of the keys, or stand before them. */
  sealed interface Blocked extends AcquireResult {
    /** The first of them. */
    List<LeaseView> holders();

    /** How many there are in all. */
    int holderCount();

    List<String> blockingKeys();

    /** In line. */
    int position();
  }

  /** At a position that it would have had in line. */
  record Held(List<LeaseView> holders, int holderCount, List<String> blockingKeys, int position)
      implements Blocked {}

  /** The wait ran out at this position. */
  record TimedOut(List<LeaseView> holders, int holderCount, List<String> blockingKeys, int position)
      implements Blocked {}

  /** A lost holder's lock-delay runs. */
  record Delayed(Duration retryAfter, List<String> blockingKeys) implements AcquireResult {}
}
