package dev.plinth.registry.core;

import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/**
 * What the presences of all shards share.
 *
 * @param random for epochs
 * @param isFull whether nothing may be added to memory
 * @param resumeBytes of the changes that a shard keeps for watchers who resume
 */
public record PresenceContext(
    PresenceEvents events, RandomGenerator random, BooleanSupplier isFull, long resumeBytes) {
  /** For {@link #resumeBytes}, where there is memory enough. */
  public static final long RESUME_BYTES = 8L << 20;
}
