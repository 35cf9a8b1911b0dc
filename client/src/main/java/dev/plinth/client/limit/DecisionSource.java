package dev.plinth.client.limit;

/** Who answered whether something may be done. */
public enum DecisionSource {
  /** The service. */
  SERVICE,
  /** Budget that this client holds, charged in advance. */
  LEASE,
  /** A denial of the service that still holds. */
  DENY_CACHE,
  /** Nobody: the service did not answer, and {@link OnUnavailable} says what then. */
  UNAVAILABLE
}
