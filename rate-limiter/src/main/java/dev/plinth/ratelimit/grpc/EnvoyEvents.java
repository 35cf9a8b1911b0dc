package dev.plinth.ratelimit.grpc;

/** What proxies ask for, for metrics. Called on the deciding threads, many at once: it counts. */
public interface EnvoyEvents {
  /** How a rule took the hits of a descriptor. */
  enum Outcome {
    OK,
    OVER_LIMIT,
    /** It was over the limit, which a shadow rule does not enforce. */
    SHADOW
  }

  /**
   * A rule was asked for a descriptor.
   *
   * @param values those of the descriptor that the rule counts by, as {@code key_value.key_value};
   *     empty if none
   */
  void hits(String domain, String rule, String values, Outcome outcome, long hits);

  /** A domain was asked for that has no policy: everything was allowed. */
  void unknownDomain(String domain);
}
