package dev.plinth.conventions;

import java.util.Set;
import java.util.stream.Collectors;

/** What broke a rule when the rule was made. The list only shrinks. */
final class KnownViolations {
  static final Set<String> KEYS =
      """
              RecordSizeRule: rate-limiter/src/main/java/dev/plinth/ratelimit/RateLimitSettings.java#RateLimitSettings
      """
          .lines()
          .map(String::strip)
          .collect(Collectors.toUnmodifiableSet());

  private KnownViolations() {}
}
