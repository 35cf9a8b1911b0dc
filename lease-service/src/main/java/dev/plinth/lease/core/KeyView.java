package dev.plinth.lease.core;

import java.time.Duration;
import java.util.List;

/**
 * A key as it was at one moment.
 *
 * @param holders the first of them, in the order of their tokens
 * @param holderCount how many there are in all
 */
public record KeyView(List<LeaseView> holders, int holderCount, int waiters, Duration barredFor) {
  static final KeyView FREE = new KeyView(List.of(), 0, 0, Duration.ZERO);
}
