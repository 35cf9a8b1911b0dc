package dev.plinth.ratelimit.policy;

import java.time.Instant;
import java.util.List;

/**
 * The rules of a domain.
 *
 * @param version rises with each change
 */
public record Policy(String domain, long version, List<Rule> rules, Instant changedAt) {
  public Policy {
    rules = List.copyOf(rules);
  }
}
