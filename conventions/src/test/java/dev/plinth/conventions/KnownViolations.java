package dev.plinth.conventions;

import java.util.Set;
import java.util.stream.Collectors;

/** What broke a rule when the rule was made. The list only shrinks. */
final class KnownViolations {
  static final Set<String> KEYS =
      """
              FileLengthRule: lease-service/src/main/java/dev/plinth/lease/core/Leases.java
              FileLengthRule: lease-service/src/main/java/dev/plinth/lease/core/WaitQueues.java
              RecordSizeRule: client/src/main/java/dev/plinth/client/ClientParts.java#ClientParts
              RecordSizeRule: client/src/main/java/dev/plinth/client/limit/LimiterContext.java#LimiterContext
              RecordSizeRule: lease-service/src/main/java/dev/plinth/lease/core/AcquireSpec.java#AcquireSpec
              RecordSizeRule: lease-service/src/main/java/dev/plinth/lease/core/HistoryEvent.java#HistoryEvent
              RecordSizeRule: lease-service/src/main/java/dev/plinth/lease/core/LeaseView.java#LeaseView
              RecordSizeRule: lease-service/src/main/java/dev/plinth/lease/core/NamespacePolicy.java#NamespacePolicy
              RecordSizeRule: rate-limiter/src/main/java/dev/plinth/ratelimit/RateLimitSettings.java#RateLimitSettings
      """
          .lines()
          .map(String::strip)
          .collect(Collectors.toUnmodifiableSet());

  private KnownViolations() {}
}
