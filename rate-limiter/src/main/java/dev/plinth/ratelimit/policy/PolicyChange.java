package dev.plinth.ratelimit.policy;

import java.util.Optional;

/**
 * A domain has another policy, or none any more.
 *
 * @param policy empty if it was deleted
 */
public record PolicyChange(String domain, Optional<Policy> policy) {}
