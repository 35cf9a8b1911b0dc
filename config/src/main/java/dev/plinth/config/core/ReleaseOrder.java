package dev.plinth.config.core;

/**
 * Where a release stands in the order that agents go by. The epoch rises when the store was brought
 * back from a backup, so what was lost with it never comes after what is there now.
 */
public record ReleaseOrder(long epoch, long generation) implements Comparable<ReleaseOrder> {
  public static final ReleaseOrder NONE = new ReleaseOrder(0, 0);

  @Override
  public int compareTo(ReleaseOrder other) {
    int byEpoch = Long.compare(epoch, other.epoch);
    return byEpoch != 0 ? byEpoch : Long.compare(generation, other.generation);
  }

  boolean isAfter(ReleaseOrder other) {
    return compareTo(other) > 0;
  }

  @Override
  public String toString() {
    return epoch + "." + generation;
  }
}
