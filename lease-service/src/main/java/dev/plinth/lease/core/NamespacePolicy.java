package dev.plinth.lease.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/** The rules of a namespace; each limit is set, to the platform's own bound where nobody chose. */
public record NamespacePolicy(
    Ttls ttls,
    Duration maxWait,
    LockDelays lockDelays,
    int maxPriority,
    Map<Quota, Integer> quotas,
    List<Semaphore> semaphores) {

  /** How long leases and sessions may last without a renewal. */
  public record Ttls(Duration min, Duration max, Duration byDefault) {}

  /** How long lost holders may bar their keys. */
  public record LockDelays(Duration max, Duration byDefault) {}

  /** What nobody can go beyond. */
  public static final NamespacePolicy PLATFORM =
      new NamespacePolicy(
          new Ttls(Duration.ofMillis(100), Duration.ofHours(1), Duration.ofSeconds(10)),
          Duration.ofHours(1),
          new LockDelays(Duration.ofMinutes(5), Duration.ZERO),
          100,
          Arrays.stream(Quota.values()).collect(Collectors.toMap(q -> q, Quota::most)),
          List.of());

  /** What one may take as a row: a store takes only so much in one commit. */
  public static final int MAX_ROW_BYTES = 512 * 1024;

  public NamespacePolicy {
    quotas = Collections.unmodifiableMap(new EnumMap<>(quotas));
  }

  /** As it is stored. */
  public int rowBytes() {
    return NamespacePolicyRows.encode(this, Long.MAX_VALUE).length;
  }

  int most(Quota quota) {
    return quotas.get(quota);
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
              throw violation("wait", seconds(wait), "at most " + seconds(maxWait));
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
    if (ttl.compareTo(ttls.min()) < 0 || ttl.compareTo(ttls.max()) > 0) {
      throw violation("ttl", seconds(ttl), seconds(ttls.min()) + ".." + seconds(ttls.max()));
    }
  }

  void checkLockDelay(Duration delay) {
    if (delay.compareTo(lockDelays.max()) > 0) {
      throw violation("lock_delay", seconds(delay), "at most " + seconds(lockDelays.max()));
    }
  }

  private static Failure violation(String field, Object value, String expected) {
    return new Failure.Invalid(
        ErrorReason.ERROR_REASON_POLICY_VIOLATION,
        List.of(
            new Failure.Invalid.Violation(
                field, value + " (expected by the namespace's policy: " + expected + ")")));
  }

  /** As callers write durations: {@code 5s}, {@code 0.100s}. */
  private static String seconds(Duration duration) {
    long millis = duration.toMillis();
    String rest = millis % 1000 == 0 ? "" : "." + String.valueOf(1000 + millis % 1000).substring(1);
    return millis / 1000 + rest + "s";
  }
}
