package dev.plinth.lease.core;

import java.time.Duration;
import java.util.List;

/**
 * A session as it was at one moment.
 *
 * @param held the first of what hangs on it, or of what is wanted back of it
 * @param heldCount how many these are in all
 */
public record SessionView(String id, Duration ttl, List<LeaseView> held, int heldCount) {
  /** Holds that a resumed session is told of. */
  static final int MAX_HELD = 500;

  /** Holds wanted back that a heartbeat is told of. */
  static final int MAX_ASKED = 100;

  /** How often a heartbeat is to come, so that two may be lost. */
  public Duration heartbeatInterval() {
    return ttl.dividedBy(3);
  }
}
