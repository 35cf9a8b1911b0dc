package dev.plinth.ratelimit.store.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** Checks whether Redis may evict budgets when it runs out of memory, and admit too much. */
final class EvictionPolicyCheck {
  private static final Logger log = System.getLogger("plinth.redis");
  private static final String SAFE = "noeviction";

  private EvictionPolicyCheck() {}

  /** Where CONFIG is not permitted, there is nothing to be learnt. */
  static void check(StatefulRedisConnection<byte[], byte[]> connection) {
    connection
        .async()
        .configGet("maxmemory-policy")
        .thenAccept(
            found -> {
              String policy = found.get("maxmemory-policy");
              if (policy != null && !policy.equals(SAFE)) {
                log.log(
                    Level.WARNING,
                    "maxmemory-policy: {0} (expected: {1}); a budget that Redis evicts begins anew",
                    policy,
                    SAFE);
              }
            });
  }
}
