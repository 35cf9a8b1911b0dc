package dev.plinth.conventions;

import java.util.Set;
import java.util.stream.Collectors;

/** What broke a rule when the rule was made. The list only shrinks. */
final class KnownViolations {
  static final Set<String> KEYS =
      """
              FileLengthRule: lease-service/src/main/java/dev/plinth/lease/core/Leases.java
              FileLengthRule: lease-service/src/main/java/dev/plinth/lease/core/WaitQueues.java
              RecordSizeRule: rate-limiter/src/main/java/dev/plinth/ratelimit/RateLimitSettings.java#RateLimitSettings
      """
          .lines()
          .map(String::strip)
          .collect(Collectors.toUnmodifiableSet());

  private KnownViolations() {}
}
