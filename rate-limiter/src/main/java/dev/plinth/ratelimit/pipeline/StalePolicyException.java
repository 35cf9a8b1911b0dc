package dev.plinth.ratelimit.pipeline;

/**
 * A budget was written by a later version of its rule than the one of the request: nothing was
 * done. Fetch a policy of at least this version and retry.
 */
public final class StalePolicyException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final long version;

  StalePolicyException(long version) {
    super("the policy is older than version " + version + " of its budgets", null, false, false);
    this.version = version;
  }

  /** Of the policy that the budget was written with. */
  public long version() {
    return version;
  }
}
