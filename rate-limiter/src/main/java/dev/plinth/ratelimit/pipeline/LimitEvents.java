package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.pipeline.Decision.Verdict;

/** What happens to limits, for metrics. Called on the deciding threads, many at once: it counts. */
public interface LimitEvents {
  /** Whether the store is asked. */
  enum CircuitState {
    CLOSED,
    OPEN,
    HALF_OPEN
  }

  /** One decision of a check. */
  void decided(Verdict verdict, DecidedBy by);

  /**
   * A rule denied a check, whoever decided that; or a shadow would have denied one that passed
   * otherwise.
   */
  void overLimit(String domain, String rule, boolean shadow);

  /** A check was allowed with four fifths or more of the rule used. */
  void nearLimit(String domain, String rule);

  /**
   * The store was asked for the budgets of one domain.
   *
   * @param requests sent
   * @param checks that they stand for
   */
  void flushed(int requests, int checks);

  /** It answered, or failed to. */
  void storeAnswered(long nanos, boolean ok);

  /** The store answered, but could not decide this one request. */
  void undecided();

  /** Checks were decided in one request instead of one each. */
  void merged(int checks);

  /** An answer came after its checks were decided without it: what it charged stays charged. */
  void late(int checks);

  /** This node took so much in advance. */
  void leased(long units);

  /** A lease of this node ended: so much of it was given back, the rest was spent or is lost. */
  void leaseEnded(long granted, long returned);

  /** Leases that this node holds, and their units when granted, changed by this. */
  void leasesHeld(int leases, long units);

  /** A check was denied by a denial that still holds. */
  void denyCacheHit();

  void breaker(CircuitState state);
}
