package dev.plinth.conventions;

import java.util.Set;
import java.util.stream.Collectors;

/** What broke a rule when the rule was made. The list only shrinks. */
final class KnownViolations {
  static final Set<String> KEYS =
      """
              FileLengthRule: lease-service/src/main/java/dev/plinth/lease/core/Leases.java
              FileLengthRule: lease-service/src/main/java/dev/plinth/lease/core/WaitQueues.java
              FileLengthRule: shards/src/main/java/dev/plinth/shards/Shard.java
              FileLengthRule: shards/src/main/java/dev/plinth/shards/Shards.java
              MarkdownLineRule: CHANGELOG.md
              MarkdownLineRule: CONTRIBUTING.md
              MarkdownLineRule: README.md
              MarkdownLineRule: docs/adr/0002-failures-and-statuses.md
              MarkdownLineRule: docs/adr/0003-settings-records.md
              MarkdownLineRule: docs/adr/0004-real-engines-in-tests.md
              MarkdownLineRule: docs/adr/0005-fenced-single-writer-shards.md
              MarkdownLineRule: docs/adr/0006-fencing-tokens.md
              MarkdownLineRule: docs/adr/0007-whose-clock.md
              MarkdownLineRule: docs/adr/0008-one-hop-forwarding-and-moves.md
              MarkdownLineRule: docs/adr/0009-budgets-outside-shards.md
              MarkdownLineRule: docs/adr/0010-calls-on-the-networks-threads.md
              MarkdownLineRule: docs/adr/0011-callers-run-the-loop.md
              MarkdownLineRule: docs/benchmarks-ids.md
              MarkdownLineRule: docs/benchmarks-limits.md
              MarkdownLineRule: docs/benchmarks.md
              MarkdownLineRule: docs/dependencies.md
              MarkdownLineRule: docs/design/client.md
              MarkdownLineRule: docs/design/ids.md
              MarkdownLineRule: docs/design/lease.md
              MarkdownLineRule: docs/design/limits-redis.md
              MarkdownLineRule: docs/design/limits.md
              MarkdownLineRule: docs/design/server-kit.md
              MarkdownLineRule: docs/design/shards-etcd.md
              MarkdownLineRule: docs/design/shards.md
              MarkdownLineRule: docs/glossary.md
              NullReturnRule: server-kit/src/main/java/dev/plinth/server/call/MalformedRequests.java#parse
              RecordSizeRule: client/src/main/java/dev/plinth/client/ClientParts.java#ClientParts
              RecordSizeRule: client/src/main/java/dev/plinth/client/limit/LimiterContext.java#LimiterContext
              RecordSizeRule: lease-service/src/main/java/dev/plinth/lease/core/AcquireSpec.java#AcquireSpec
              RecordSizeRule: lease-service/src/main/java/dev/plinth/lease/core/HistoryEvent.java#HistoryEvent
              RecordSizeRule: lease-service/src/main/java/dev/plinth/lease/core/LeaseView.java#LeaseView
              RecordSizeRule: lease-service/src/main/java/dev/plinth/lease/core/NamespacePolicy.java#NamespacePolicy
              RecordSizeRule: rate-limiter/src/main/java/dev/plinth/ratelimit/RateLimitSettings.java#RateLimitSettings
              RecordSizeRule: rate-limiter/src/main/java/dev/plinth/ratelimit/policy/Rule.java#Rule
              RecordSizeRule: server-kit/src/main/java/dev/plinth/server/HostSettings.java#Limits
              RecordSizeRule: standalone/src/main/java/dev/plinth/standalone/PlinthSettings.java#PlinthSettings
      """
          .lines()
          .map(String::strip)
          .collect(Collectors.toUnmodifiableSet());

  private KnownViolations() {}
}
