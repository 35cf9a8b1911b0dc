package dev.plinth.ratelimit.store;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.OnChange;
import java.util.Optional;

/**
 * The budget of one rule for one set of descriptor values.
 *
 * @param key names it in the store, unique in its domain and without line breaks; a shadow's
 *     differs from the enforced one's
 * @param version of the policy that last changed the rule; a store never goes back behind the
 *     version it has seen for the key
 * @param shadow charged where it has room, never the cause of a denial
 * @param lending empty if none of it may be leased
 */
public record Budget(
    String key,
    Limit limit,
    long version,
    OnChange onChange,
    boolean shadow,
    Optional<Lending> lending) {

  /**
   * How much may be out in leases at one time, and for how long each is.
   *
   * @param max of all leases together, those that were returned or ran out not counted
   * @param ttl of one lease, in microseconds; up to a minute
   */
  public record Lending(long max, long ttl) {}
}
