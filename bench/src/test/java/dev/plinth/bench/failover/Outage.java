package dev.plinth.bench.failover;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What callers saw of one fault: for each namespace the longest that a call took, over all its
 * attempts, counted from the fault if it was under way then.
 */
final class Outage {
  private final Map<String, Long> longest = new ConcurrentHashMap<>();
  private final Map<String, Long> lastEnd = new ConcurrentHashMap<>();
  private final Map<String, AtomicLong> failedAttempts = new ConcurrentHashMap<>();
  private final AtomicLong calls = new AtomicLong();
  private final AtomicLong failedCalls = new AtomicLong();
  private final AtomicReference<RuntimeException> violation = new AtomicReference<>();
  private volatile long faultAt = Long.MAX_VALUE;
  private volatile boolean over;

  /** From here on it counts. */
  void begin() {
    faultAt = System.nanoTime();
  }

  private boolean begun() {
    return faultAt != Long.MAX_VALUE;
  }

  void answered(String namespace, long start, long end) {
    if (begun()) {
      calls.incrementAndGet();
      longest.merge(namespace, end - Math.max(start, faultAt), Math::max);
      lastEnd.put(namespace, end);
    }
  }

  /** Whether a call was answered since then, or its caller gave up. */
  boolean answeredAfter(String namespace, long nanos) {
    return violation.get() != null || lastEnd.getOrDefault(namespace, faultAt) - nanos > 0;
  }

  void attemptFailed(String how) {
    if (begun()) {
      failedAttempts.computeIfAbsent(how, name -> new AtomicLong()).incrementAndGet();
    }
  }

  void callFailed(String namespace) {
    failedCalls.incrementAndGet();
    long now = System.nanoTime();
    longest.merge(namespace, now - faultAt, Math::max);
    lastEnd.put(namespace, now);
  }

  void violated(RuntimeException thrown) {
    violation.compareAndSet(null, thrown);
  }

  void end() {
    over = true;
  }

  boolean over() {
    return over;
  }

  /** Fails if an answer was wrong. */
  void check() {
    if (violation.get() != null) {
      throw violation.get();
    }
  }

  double longestMillis(String namespace) {
    Long nanos = longest.get(namespace);
    if (nanos == null) {
      throw new IllegalStateException("no call to " + namespace + " was answered");
    }
    return nanos / 1e6;
  }

  long calls() {
    return calls.get();
  }

  long failedCalls() {
    return failedCalls.get();
  }

  /** Attempts by how they failed. */
  Map<String, AtomicLong> failedAttempts() {
    return failedAttempts;
  }
}
