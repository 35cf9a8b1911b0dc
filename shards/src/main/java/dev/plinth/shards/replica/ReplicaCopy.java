package dev.plinth.shards.replica;

import java.util.Optional;

/**
 * What this node knows of one key: nothing yet, that the owner has no value, or a value.
 *
 * @param known whether the owner has answered
 * @param value empty if the owner has none, or has not answered
 * @param version of the value; 0 without one
 */
public record ReplicaCopy<V>(boolean known, Optional<V> value, long version) {
  private static final ReplicaCopy<?> UNKNOWN = new ReplicaCopy<>(false, Optional.empty(), 0);

  @SuppressWarnings("unchecked") // it has no value of any type
  static <V> ReplicaCopy<V> unknown() {
    return (ReplicaCopy<V>) UNKNOWN;
  }

  /**
   * Whether it is known and of this version or later. Versions begin at 1, so for 0 the knowledge
   * that there is no value will do; for more it will not, since the value may have just been made.
   */
  public boolean isAtLeast(long minVersion) {
    return known && version >= minVersion;
  }
}
