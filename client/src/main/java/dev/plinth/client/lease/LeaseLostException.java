package dev.plinth.client.lease;

import dev.plinth.client.LeaseState;

/**
 * The holder's own deadline has passed, by its monotonic clock or while the machine slept, or it
 * gave the lease back: another may hold the key.
 */
public final class LeaseLostException extends RuntimeException {
  private static final long serialVersionUID = 1;

  LeaseLostException(String key, long token, LeaseState state) {
    super("lease on " + key + " with token " + token + " is " + state + " (expected: held)");
  }
}
