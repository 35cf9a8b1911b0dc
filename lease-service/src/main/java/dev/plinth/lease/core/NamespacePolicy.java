package dev.plinth.lease.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** The rules of a namespace; each limit is set, to the platform's own bound where nobody chose. */
public record NamespacePolicy(
    Duration minTtl,
    Duration maxTtl,
    Duration defaultTtl,
    Duration maxWait,
    Duration maxLockDelay,
    Duration defaultLockDelay,
    int maxPriority,
    int maxLeases,
    int maxSessions,
    int maxWaiters,
    int maxWaitersPerKey,
    int maxAcquiresPerSecond,
    int maxWaitersPerOwner,
    int maxFences,
    int maxElections,
    List<Semaphore> semaphores) {

  /** What nobody can go beyond. */
  public static final NamespacePolicy PLATFORM =
      new NamespacePolicy(
          Duration.ofMillis(100),
          Duration.ofHours(1),
          Duration.ofSeconds(10),
          Duration.ofHours(1),
          Duration.ofMinutes(5),
          Duration.ZERO,
          100,
          1_000_000,
          1_000_000,
          100_000,
          10_000,
          Integer.MAX_VALUE,
          10_000,
          100_000,
          100_000,
          List.of());

  /** With the platform's own bounds on waiters of one owner, fences and elections. */
  public NamespacePolicy(
      Duration minTtl,
      Duration maxTtl,
      Duration defaultTtl,
      Duration maxWait,
      Duration maxLockDelay,
      Duration defaultLockDelay,
      int maxPriority,
      int maxLeases,
      int maxSessions,
      int maxWaiters,
      int maxWaitersPerKey,
      int maxAcquiresPerSecond,
      List<Semaphore> semaphores) {
    this(
        minTtl,
        maxTtl,
        defaultTtl,
        maxWait,
        maxLockDelay,
        defaultLockDelay,
        maxPriority,
        maxLeases,
        maxSessions,
        maxWaiters,
        maxWaitersPerKey,
        maxAcquiresPerSecond,
        PLATFORM.maxWaitersPerOwner,
        PLATFORM.maxFences,
        PLATFORM.maxElections,
        semaphores);
  }

  /** How much of the keys that begin so there is to share. */
  public record Semaphore(String keyPrefix, int capacity) {}

  /** That of the longest prefix; empty if no rule is for this key. */
  OptionalInt capacityOf(String key) {
    Semaphore longest = null;
    for (Semaphore rule : semaphores) {
      boolean longer = longest == null || rule.keyPrefix().length() > longest.keyPrefix().length();
      if (longer && key.startsWith(rule.keyPrefix())) {
        longest = rule;
      }
    }
    return longest == null ? OptionalInt.empty() : OptionalInt.of(longest.capacity());
  }

  void check(AcquireSpec spec) {
    spec.ttl().ifPresent(this::checkTtl);
    spec.lockDelay().ifPresent(this::checkLockDelay);
    spec.timeout()
        .filter(wait -> wait.compareTo(maxWait) > 0)
        .ifPresent(
            wait -> {
              throw violation("wait", RowText.seconds(wait), "at most " + RowText.seconds(maxWait));
            });
    if (spec.priority() > maxPriority) {
      throw violation("priority", spec.priority(), "at most " + maxPriority);
    }
    for (KeyRequest keyRequest : spec.wants()) {
      if (keyRequest.name().isElection() && keyRequest.leaseMode() != LeaseMode.EXCLUSIVE) {
        throw Failure.Invalid.field(
            "mode",
            "MODE_" + keyRequest.leaseMode(),
            "MODE_EXCLUSIVE for a key that begins with election/");
      }
    }
    aboveCapacity(spec)
        .ifPresent(
            refusal -> {
              throw refusal;
            });
  }

  /** Why a wish for permits can never be granted; empty if it can. */
  Optional<Failure> aboveCapacity(AcquireSpec spec) {
    for (KeyRequest keyRequest : spec.wants()) {
      if (keyRequest.leaseMode() == LeaseMode.SEMAPHORE) {
        OptionalInt capacity = capacityOf(keyRequest.name().key());
        if (capacity.isEmpty()) {
          return Optional.of(
              violation(
                  "mode",
                  "MODE_SEMAPHORE for " + keyRequest.name().key(),
                  "a capacity for the key, set by SetPolicy"));
        }
        if (keyRequest.weight() > capacity.getAsInt()) {
          return Optional.of(
              violation(
                  "weight", keyRequest.weight(), "at most the capacity, " + capacity.getAsInt()));
        }
      }
    }
    return Optional.empty();
  }

  void checkTtl(Duration ttl) {
    if (ttl.compareTo(minTtl) < 0 || ttl.compareTo(maxTtl) > 0) {
      throw violation(
          "ttl", RowText.seconds(ttl), RowText.seconds(minTtl) + ".." + RowText.seconds(maxTtl));
    }
  }

  void checkLockDelay(Duration delay) {
    if (delay.compareTo(maxLockDelay) > 0) {
      throw violation(
          "lock_delay", RowText.seconds(delay), "at most " + RowText.seconds(maxLockDelay));
    }
  }

  private static Failure violation(String field, Object value, String expected) {
    return new Failure.Invalid(
        ErrorReason.ERROR_REASON_POLICY_VIOLATION,
        List.of(
            new Failure.Invalid.Violation(
                field, value + " (expected by the namespace's policy: " + expected + ")")));
  }
}
