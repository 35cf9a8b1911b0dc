package dev.plinth.client.limit;

/** What a client does while the rate-limit service does not answer it and no lease is in hand. */
public enum OnUnavailable {
  /** Goes on, unlimited: what is limited is worth more than its limit. */
  OPEN,
  /** Stops: the limit is worth more than what is limited. */
  CLOSED
}
