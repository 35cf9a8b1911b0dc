package dev.plinth.shards.replica;

import java.util.function.ToLongFunction;

/**
 * Bound of a {@link Replica} in bytes.
 *
 * @param maxBytes of all values together; one value that is larger is kept alone
 * @param bytes that a value keeps in memory, by estimate
 */
public record ReplicaMemory<V>(long maxBytes, ToLongFunction<V> bytes) {
  /** For small values, which the number of keys bounds. */
  static <V> ReplicaMemory<V> unbounded() {
    return new ReplicaMemory<>(Long.MAX_VALUE, value -> 0);
  }
}
