package dev.plinth.registry.partition;

import java.time.Duration;
import java.util.Optional;

/**
 * Why a partition is in its state.
 *
 * @param revokedFor for how long it is, by this owner of the shard
 */
public record PartitionExplanation(
    PartitionView partition, String why, Optional<Duration> revokedFor) {}
