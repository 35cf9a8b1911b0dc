package dev.plinth.simulation.kernel;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a run consists of: each fault, client and step of a client has a name under which it can be
 * left out. A run that failed is made small by leaving out what it does not need to fail.
 */
public final class RunParts {
  private final Set<String> leftOut;
  private final Set<String> met = new LinkedHashSet<>();
  private final long horizonNanos;
  private final long noise;

  private RunParts(Set<String> leftOut, long horizonNanos, long noise) {
    this.leftOut = leftOut;
    this.horizonNanos = horizonNanos;
    this.noise = noise;
  }

  /** A whole run. */
  public static RunParts all() {
    return new RunParts(Set.of(), Long.MAX_VALUE, 0);
  }

  /** The same, not yet run, without these too. */
  public RunParts without(Set<String> more) {
    Set<String> both = new TreeSet<>(leftOut);
    both.addAll(more);
    return new RunParts(both, horizonNanos, noise);
  }

  /** The same, not yet run, in which clients and faults end at this time. */
  public RunParts until(long nanos) {
    return new RunParts(leftOut, Math.min(horizonNanos, nanos), noise);
  }

  /** The same, not yet run, with other delays of messages. */
  public RunParts withNoise(long other) {
    return new RunParts(leftOut, horizonNanos, other);
  }

  /** Whether there is a part that the run has come to. */
  public boolean has(String part) {
    if (leftOut.contains(part)) {
      return false;
    }
    met.add(part);
    return true;
  }

  /** The parts that the run has come to, in this order. */
  public Set<String> met() {
    return met;
  }

  public long horizonNanos() {
    return horizonNanos;
  }

  long noise() {
    return noise;
  }
}
