package dev.plinth.ratelimit.core;

import dev.plinth.ratelimit.core.Request.Once;
import java.util.List;
import java.util.Optional;

/**
 * A place in the near future.
 *
 * @param id to settle it by; empty after a denial
 * @param delay microseconds until it may be used
 */
public record Reservation(String id, long delay, Decision decision) {
  /**
   * @param maxWait microseconds
   * @param ttl how long it can be settled, in microseconds from the end of the wait
   */
  public record Wish(
      List<Descriptor> descriptors, long cost, long maxWait, long ttl, Optional<Once> once) {}

  /**
   * @param found false if it was settled before, or it is too late: it stays as it is
   * @param refunded given back; negative if more was charged
   */
  public record Settlement(boolean found, long refunded) {}
}
