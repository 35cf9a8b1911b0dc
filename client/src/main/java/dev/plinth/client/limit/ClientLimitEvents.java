package dev.plinth.client.limit;

/** What limiters count. Called where it happens, so nothing here may block. */
interface ClientLimitEvents {
  ClientLimitEvents NONE = new ClientLimitEvents() {};

  default void answered(boolean allowed, DecisionSource source) {}

  /** A shadow rule would have denied what was allowed. */
  default void shadowDenied() {}

  /** How a request for a lease ended: an outcome of the API without its prefix, or FAILED. */
  default void leaseRequested(String outcome) {}

  default void leased(long granted) {}

  /** Given back unspent; whether it still counted is the service's to say. */
  default void unused(long units) {}

  /** Paid out of a lease whose time was over by then: the call went on to the service. */
  default void stale(long units) {}

  /** What became of a slot: ACQUIRED, FULL, NO_RULE, UNAVAILABLE, RENEWED, LOST or RELEASED. */
  default void slot(String what) {}
}
